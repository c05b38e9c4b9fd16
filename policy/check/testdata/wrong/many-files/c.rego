package stophook.rules.mc

demand contains {

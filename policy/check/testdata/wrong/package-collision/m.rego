package stophook.main

x := 1

package stophook.rules.rule

demand contains {"text": "x"} if input.x

package stophook.rules.evil_test

import data.stophook.rules.evil

test_names[name] if {
	some name in ["\u001b[31mred", "]]> <b>&amp; \"q\"", "line\nbreak", "\u202eback"]
	print("\u001b]0;title\u0007", name, "]]>")
	count(evil.demand) == 0
}

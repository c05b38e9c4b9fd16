# METADATA
# title: Evil
# description: Says what it should not.
# custom: {code: acme.evil, severity: block}
package stophook.rules.evil

demand contains {"text": "\u001b[31mred\u001b[0m \u202eback ]]> <b>&amp; \u0007 \ufffe", "evidence": [0, 7, 99999, -1]}

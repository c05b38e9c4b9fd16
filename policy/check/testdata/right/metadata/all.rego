# A licence, and other words before METADATA.

# METADATA
# scope: package
# title: All that OPA knows
# description: |
#   Several
#   lines.
# authors:
#   - name: A
# organizations: [acme]
# related_resources:
#   - ref: https://example.org
# schemas:
#   - input: schema.input
#   - data.acme: schema.own
# custom:
#   code: acme.all
#   severity: observe
#   fail: open
#   deferrable: true
#   order: 7
#   brief: "Run `{{command}}`."
#   events:
#     - Stop
#   team: tools

package stophook.rules.all

# METADATA
# title: one rule
# custom:
#   code: nothing of ours
demand contains {"text": "Run `make`.", "evidence": [input.turn.started_at.offset]} if input.turn.is_tool_turn

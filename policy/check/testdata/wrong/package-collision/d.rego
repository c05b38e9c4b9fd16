# METADATA
# custom: {code: acme.d}
package stophook.deferrals.d

defer contains {"code": "acme.d", "task_id": t.id} if some t in input.tasks

# METADATA
# custom: {code: acme.jd}
package stophook.deferrals.jd

defer contains {"code": "acme.jd", "until": ""} if count(input.tasks) > 0

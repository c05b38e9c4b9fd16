package decisionlog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// key makes a made-up token of n bytes behind a prefix. The prefixes are joined
// here, so that no scanner takes this file for a leak.
func key(prefix string, n int) string {
	return prefix + strings.Repeat("aB3dE6gH9", n/9+1)[:n]
}

func pem(label, body string) string {
	return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----"
}

func TestRedact_Secrets(t *testing.T) {
	pemBody := "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"
	tests := []struct{ name, in, want, reason string }{
		{"anthropic", "x " + key("sk-ant-"+"api03-", 40) + " y", "x [redacted] y", "the prefix alone is telling"},
		{"openai", "key " + key("sk-"+"proj-", 40) + ".", "key [redacted].", "the full stop of the sentence stays"},
		{"openai old form", key("s"+"k-", 48), "[redacted]", "sk- and a long body with digits"},
		{"kebab word", "the sk-learn-like-estimator-class", "the sk-learn-like-estimator-class", "no digit: words joined by dashes"},
		{"word before", "task-force-2026-planning-meeting", "task-force-2026-planning-meeting", "sk- inside a word begins nothing"},
		{"github classic", key("gh"+"p_", 36), "[redacted]", "personal token"},
		{"github others", key("gh"+"o_", 36) + " " + key("gh"+"s_", 36) + " " + key("gh"+"u_", 36) + " " + key("gh"+"r_", 36), "[redacted] [redacted] [redacted] [redacted]", "oauth, server, user, refresh"},
		{"github fine-grained", key("github"+"_pat_", 60), "[redacted]", "the long form"},
		{"gitlab", key("gl"+"pat-", 20), "[redacted]", "gitlab token"},
		{"npm", key("np"+"m_", 36), "[redacted]", "registry token"},
		{"hugging face", key("h"+"f_", 34), "[redacted]", "hub token"},
		{"stripe", key("sk"+"_live_", 24) + " " + key("rk"+"_test_", 24), "[redacted] [redacted]", "live and test keys"},
		{"aws", "id=" + "AKIA" + "ABCDEFGHIJKLMNOP", "id=[redacted]", "the name says nothing, the form does"},
		{"aws session", "ASIA" + "ABCDEFGHIJKLMNOP", "[redacted]", "temporary key"},
		{"aws short", "AKIA" + "ABC", "AKIA" + "ABC", "too short for a key"},
		{"google", key("AI"+"za", 35), "[redacted]", "API key"},
		{"slack", key("xox"+"b-", 30), "[redacted]", "bot token"},
		{"jwt", key("ey"+"J", 20) + "." + key("ey"+"J", 20) + "." + key("", 30), "[redacted]", "all three parts go"},
		{"two parts", key("ey"+"J", 20) + ".json", key("ey"+"J", 20) + ".json", "no web token"},
		{"bearer", "Authorization: Bearer " + key("", 20) + "\nHost: x", "Authorization: Bearer [redacted]\nHost: x", "the scheme stays readable"},
		{"bearer alone", "curl -H 'bearer " + key("", 12) + "'", "curl -H 'bearer [redacted]'", "case does not matter"},
		{"bearer in prose", "a bearer of good news", "a bearer of good news", "a sentence"},
		{"basic", `-H "Authorization: Basic dXNlcjpwYXNz"`, `-H "Authorization: Basic [redacted]"`, "credentials behind a scheme"},
		{"pem", "a\n" + pem("RSA PRIVATE KEY", pemBody) + "\nb", "a\n[redacted]\nb", "the whole block"},
		{"pem cut off", "a\n-----BEGIN PRIVATE KEY-----\n" + pemBody, "a\n[redacted]", "no end: to the end of the text"},
		{"pem certificate", pem("CERTIFICATE", pemBody), pem("CERTIFICATE", pemBody), "public"},
		{"pem under a name", "private_key = " + pem("PRIVATE KEY", pemBody) + "\nx", "private_key = [redacted]\nx", "the block is longer than the value's line"},
		{"pem behind a token", key("gh"+"p_", 36) + pem("PRIVATE KEY", pemBody), "[redacted][redacted]", "one secret must not shorten the next"},
		{"pem quoted over lines", `key_secret: "` + pem("PRIVATE KEY", pemBody) + `"`, `key_secret: "[redacted]"`, "a quoted value of several lines"},
		{"assignment", "DB_PASSWORD=hunter2 ./run", "DB_PASSWORD=[redacted] ./run", "environment assignment"},
		{"assignment quoted", `export GITHUB_TOKEN="a b c"; x`, `export GITHUB_TOKEN="[redacted]"; x`, "blanks inside quotes belong to it"},
		{"escaped quote", `password="a\"b" c`, `password="[redacted]" c`, "an escaped quote does not end it"},
		{"query", "https://h/p?access_token=abc&x=1", "https://h/p?access_token=[redacted]&x=1", "the next parameter stays"},
		{"json", `{"password": "p w", "user": "u"}`, `{"password": "[redacted]", "user": "u"}`, "JSON in a text"},
		{"json in a string", `{\"api_key\":\"abc\",\"n\":1}`, `{\"api_key\":\"[redacted]\",\"n\":1}`, "escaped once more"},
		{"yaml", "password: hunter22\nuser: u", "password: [redacted]\nuser: u", "a colon and a value that is no short word"},
		{"header", "X-Api-Key: " + key("", 16), "X-Api-Key: [redacted]", "dashes in the name"},
		{"flag", "login --password hunter2 --user u", "login --password [redacted] --user u", "a flag and a blank"},
		{"flag without value", "login --token --user u", "login --token --user u", "the next flag is no value"},
		{"prose colon", "Note on the token: the next word stays", "Note on the token: the next word stays", "a sentence"},
		{"plural", "max_tokens=4096 tokenizer=bpe", "max_tokens=4096 tokenizer=bpe", "names that only look like it"},
		{"empty", `password="" token=`, `password="" token=`, "nothing to hide"},
		{"userinfo", "git clone https://u:p@example.com/r.git", "git clone https://[redacted]@example.com/r.git", "user and password"},
		{"userinfo token", "https://abcdef@example.com", "https://[redacted]@example.com", "a token as the user"},
		{"userinfo with at", "ftp://u:p@q@example.com/", "ftp://[redacted]@example.com/", "the last @ counts"},
		{"at in the path", "https://example.com/@scope/pkg", "https://example.com/@scope/pkg", "behind the host there is no user"},
		{"paths", "/home/u/.claude/projects/-home-u-p/6f9619ff-8b86-d011-b42d-00c04fc964ff.jsonl", "/home/u/.claude/projects/-home-u-p/6f9619ff-8b86-d011-b42d-00c04fc964ff.jsonl", "session paths and ids stay"},
		{"tool ids", "toolu_01AbCdEfGhIjKlMnOpQrStUv bod89b0nb", "toolu_01AbCdEfGhIjKlMnOpQrStUv bod89b0nb", "replay needs them"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Redact(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if again := Redact(got); again != got {
				t.Errorf("not idempotent: %q", again)
			}
		})
	}
}

func TestRedact_CleanTextIsTheSameString(t *testing.T) {
	s := strings.Repeat("go test ./... -run TestX --json; key_count=3 see http://localhost:8080/x ", 50)
	if n := testing.AllocsPerRun(10, func() {
		if Redact(s) != s {
			t.Fatal("clean text was changed")
		}
	}); n != 0 {
		t.Errorf("clean text cost %v allocations", n)
	}
}

func TestRedact_IsFastOnHostileText(t *testing.T) {
	// Each text makes one matcher look far; none may look far for every anchor.
	for _, unit := range []string{"sk-", "eyJ", "://", "password:", "--token ", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "Bearer ", "\\", "AKIA", "_", "token=\""} {
		s := strings.Repeat(unit, (1<<20)/len(unit))
		if got := Redact(s); len(got) > 4*len(s) {
			t.Errorf("%q: grew to %d bytes", unit, len(got))
		}
	}
}

// checkRedact holds what must be true of every input.
func checkRedact(s string) string {
	got := Redact(s)
	if len(got) > 4*len(s)+len(Redacted) {
		return "grew too much"
	}
	if again := Redact(got); again != got {
		return "not idempotent: " + got + " became " + again
	}
	return ""
}

func TestRedact_Properties(t *testing.T) {
	pieces := []string{"sk-", "ant-", "gh" + "p_", "AKIA", "eyJ", ".", "Bearer ", "password", "token", "=", ":", ": ", "\"", "'", "\\", "\n", " ", "://", "@", "/", "-----BEGIN PRIVATE KEY-----", "-----END ", "-----", "--", "[redacted]", "[redacted", "]", "aB3dE6gH9aB3dE6gH9", "0123456789ABCDEF", "ö", "\xff", "_", "basic ", "npm_", "xoxb-", ">", "&"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		if msg := checkRedact(s); msg != "" {
			t.Fatalf("%q: %s", s, msg)
		}
	})
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{"", "password=x", "https://u:p@h", key("gh"+"p_", 36), pem("PRIVATE KEY", "x"), "token: \"[redacted]\"", `\"secret\":\"x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if msg := checkRedact(s); msg != "" {
			t.Fatalf("%q: %s", s, msg)
		}
	})
}

package report

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/replay"
	"github.com/stophook/stophook/transcript"
)

func TestDocument_countsAndOrder(t *testing.T) {
	t.Parallel()
	h := history(t, sample(12))
	s := stopsOf(h)
	d := NewDocument(h, s, Options{Now: at0})
	if d.Counts.Stops != len(s.Stops) || d.Counts.Calls != len(h.Calls) || d.Counts.Turns != len(h.Turns) || d.Counts.Failed != h.FailedCalls() || d.Counts.Failed == 0 {
		t.Errorf("counts = %+v", d.Counts)
	}
	if c := d.Counts; c.Blocked+c.Deferred+c.Allowed+c.Faults != c.Stops || c.Blocked == 0 || c.Deferred == 0 || c.Faults == 0 {
		t.Errorf("stops by verdict do not add up: %+v", c)
	}
	refs := map[string]bool{}
	line, stops := 0, 0
	for _, e := range d.Events {
		if e.Line < line {
			t.Fatalf("%s stands behind line %d", e.Ref, line)
		}
		line = e.Line
		if refs[e.Ref] {
			t.Fatalf("two events are called %s", e.Ref)
		}
		refs[e.Ref] = true
		if !regexp.MustCompile(`^L[0-9]+(-[0-9]+)?$`).MatchString(e.Ref) {
			t.Fatalf("the fragment %q is odd", e.Ref)
		}
		if e.Kind == KindStop {
			stops++
			for _, demand := range e.Stop.Demands {
				if got := demand.Evidence[:min(1, len(demand.Evidence))]; len(got) == 1 && !refs[got[0].Ref] {
					t.Errorf("evidence of %s leads to %q, which is no row before it", e.Ref, got[0].Ref)
				}
			}
		}
	}
	if stops != len(s.Stops) {
		t.Errorf("%d stops among the events, want %d", stops, len(s.Stops))
	}
}

func TestDocument_listsAreNeverNull(t *testing.T) {
	t.Parallel()
	h := history(t, fixtures.NewScript(sampleID, at0))
	s := &replay.Session{Stops: []replay.Stop{{Verdict: "block", Code: "x"}}}
	data, err := json.Marshal(NewDocument(h, s, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("null")) {
		t.Errorf("a list is null: %s", data)
	}
}

func TestDocument_leavesOutWhatTellsLeast(t *testing.T) {
	t.Parallel()
	h := history(t, sample(30))
	s := stopsOf(h)
	all := NewDocument(h, s, Options{})
	most := len(s.Stops) + len(h.Turns) + len(h.Handoffs) + len(h.Tasks) + 20
	d := NewDocument(h, s, Options{MaxEvents: most})
	if len(d.Events) != most {
		t.Errorf("%d events, want %d", len(d.Events), most)
	}
	kinds := map[string]int{}
	for _, e := range d.Events {
		kinds[e.Kind]++
	}
	if kinds[KindReply] != 0 || kinds[KindStop] != len(s.Stops) || kinds[KindTurn] != len(h.Turns) || kinds[KindHandoff] != len(h.Handoffs) {
		t.Errorf("kept %v: want no reply, and all stops, turns and handoffs", kinds)
	}
	if d.Counts != all.Counts {
		t.Errorf("counts = %+v, want those of all events %+v", d.Counts, all.Counts)
	}
	if said := strings.Join(d.Limits, "\n"); !strings.Contains(said, "events at most") || !strings.Contains(said, "replies") {
		t.Errorf("limits do not say what is left out: %s", said)
	}
	if tiny := NewDocument(h, s, Options{MaxEvents: 1}); len(tiny.Events) != 1 {
		t.Errorf("with room for one event there are %d", len(tiny.Events))
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	demand := policy.Demand{Rule: "r", Code: "stop-hook.status_check_missing", Severity: "block"}
	deferred := demand
	deferred.Deferred = true
	for _, c := range []struct {
		name string
		stop replay.Stop
		want []string
	}{
		{"pass", replay.Stop{Verdict: "allow", Code: "stop-hook.pass", Recorded: "passed"}, []string{"nothing that blocks was missing", "recorded that the agent stopped here"}},
		{"prose", replay.Stop{Verdict: "allow", Code: "stop-hook.prose_pass"}, []string{"used no tool", "left no record"}},
		{"block", replay.Stop{Verdict: "block", Code: demand.Code, Demands: []policy.Demand{demand}, Blocks: 2, Recorded: "passed"},
			[]string{"sent back to work, because of 1 unmet demand", "sent back twice in a row", "this policy would have held it"}},
		{"block as recorded", replay.Stop{Verdict: "block", Recorded: "blocked"}, []string{"recorded a block here, too"}},
		{"defer", replay.Stop{Verdict: "defer", Code: "stop-hook.background_handoff_deferred", Demands: []policy.Demand{deferred, demand}},
			[]string{"put off", "Put off: status_check_missing."}},
		{"cap", replay.Stop{Verdict: "allow", Code: "stop-hook.remediation_cap", Blocks: 5, Recorded: "blocked"}, []string{"too often already", "5 times", "answers otherwise"}},
		{"fault", replay.Stop{Verdict: "allow", Code: "stop-hook.policy_error"}, []string{"A policy failed"}},
		{"evidence", replay.Stop{Verdict: "allow", Code: "stop-hook.evidence_unavailable"}, []string{"evidence could not be read"}},
		{"own code", replay.Stop{Verdict: "allow", Code: "acme.fine"}, []string{"with the code acme.fine"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &builder{h: &transcript.History{}, zone: time.UTC}
			b.stop(c.stop, &Counts{})
			said := strings.Join(b.events[0].Stop.Words, " ")
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q lacks %q", said, want)
				}
			}
		})
	}
}

func TestSpanAndSize(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{-time.Second: "0 ms", 950 * time.Millisecond: "950 ms", 1500 * time.Millisecond: "1.5 s", 59 * time.Second: "59 s",
		time.Minute: "1 min", 61 * time.Second: "1 min 1 s", 25*time.Hour + 3*time.Minute: "25 h 3 min", 50 * time.Hour: "2 d 2 h"} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1\u202f023 B", 1536: "1.5 KiB", 8 << 20: "8 MiB", 300 << 20: "300 MiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

// The policy of a page names its own style and script by hash and nothing else.
func TestPage_policyIsStrict(t *testing.T) {
	t.Parallel()
	html := string(sessionPage(t, 2))
	m := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(html)
	if m == nil {
		t.Fatal("the page has no content policy")
	}
	policy := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(m[1])
	if want := regexp.MustCompile(`^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; script-src 'sha256-[A-Za-z0-9+/=]{44}'; base-uri 'none'; form-action 'none'$`); !want.MatchString(policy) {
		t.Errorf("the content policy is %q", policy)
	}
	if strings.Contains(html, "http://") && !strings.Contains(html, "http://www.w3.org/2000/svg") || strings.Contains(html, "https://") {
		t.Error("the page names an address")
	}
	if !strings.Contains(html[:1024], Generator) {
		t.Error("the generator does not stand in the first 1,024 bytes")
	}
	if strings.Contains(html, " style=") {
		t.Error("the page has style attributes, which its own policy forbids")
	}
}

// The same session gives the same page.
func TestWriteSession_isStable(t *testing.T) {
	t.Parallel()
	h := history(t, sample(5))
	var one, two bytes.Buffer
	for _, w := range []io.Writer{&one, &two} {
		if err := WriteSession(w, h, stopsOf(h), Options{Now: at0}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two pages of one session differ")
	}
}

func BenchmarkWriteSession(b *testing.B) {
	h := history(b, sample(600))
	s := stopsOf(h)
	b.ReportMetric(float64(h.Size), "transcript-B")
	for b.Loop() {
		var out bytes.Buffer
		if err := WriteSession(&out, h, s, Options{}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(out.Len()), "page-B")
	}
}

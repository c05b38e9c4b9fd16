package transcript

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stophook/stophook/fixtures"
)

// seeds calls add with the transcripts of all stored cases.
func seeds(f *testing.F, add func(data []byte)) {
	f.Helper()
	for _, area := range []string{fixtures.Captures, fixtures.Cases, fixtures.Transcript} {
		for _, c := range fixtures.Load(f, area) {
			c.Claim()
			if c.Want.Facts != nil {
				add(c.Read(f, fixtures.TranscriptFile))
			}
		}
	}
}

// FuzzRead: any bytes are a transcript. Nothing panics, nothing is counted below
// zero, and how the bytes come changes nothing.
func FuzzRead_TR15(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint64(len(data)), false) })
	f.Add([]byte("{}\n[1]\n\x00\n"), uint64(1), true)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, validate bool) {
		o := Options{Now: at0, Validate: validate}
		if seed%3 == 0 {
			o.Window = int64(seed%uint64(len(data)+1)) + 1
		}
		whole, err := ReadFrom(bytes.NewReader(data), int64(len(data)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		if whole.Rows < 0 || whole.BadLines < 0 || whole.Rows+whole.BadLines > bytes.Count(data, []byte("\n"))+1 {
			t.Fatalf("%d rows and %d bad lines of %d lines", whole.Rows, whole.BadLines, bytes.Count(data, []byte("\n"))+1)
		}
		random := rand.New(rand.NewPCG(seed, 1))
		short := shortReader{data, func(want int) int { return random.IntN(want + 1) }}
		parts, err := ReadFrom(short, int64(len(data)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, parts); diff != "" {
			t.Fatalf("short reads change the session:\n%s", diff)
		}
		o.Validate = !validate
		other, err := ReadFrom(bytes.NewReader(data), int64(len(data)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, other, cmpopts.IgnoreFields(Session{}, "Rows", "BadLines")); diff != "" {
			t.Fatalf("validation changes the session:\n%s", diff)
		}
	})
}

// FuzzNotices: any text has notices or not, as the plain reading says, and what a
// header names is also quoted.
func FuzzNotices_D42(f *testing.F) {
	f.Add(notification("b1", "completed"))
	f.Add("<task-notification>\n<task-id>b1</task-id><result>" + notification("b2", "failed") + "</result>")
	f.Add(strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(notification("b1", "killed")) + "\n" + notification("b2", ""))
	seeds(f, func(data []byte) {
		for line := range bytes.Lines(data) {
			if i := bytes.Index(line, []byte("<task-notification")); i >= 0 {
				f.Add(strings.ReplaceAll(string(line[i:]), `\n`, "\n"))
				return
			}
		}
	})
	f.Fuzz(func(t *testing.T, s string) {
		got := Notices(s)
		if diff := cmp.Diff(naiveNotices(s), got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("model (-) and reader (+) differ:\n%s", diff)
		}
		for _, n := range got {
			for _, id := range n.TaskIDs {
				if strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" && id != "" && !quotesTask(s, id, "") {
					t.Fatalf("the header names %q and no block quotes it: ended without any_text", id)
				}
			}
		}
		if quotesTask(s, "", "") {
			t.Fatal("the empty id is quoted")
		}
		if got, want := quotesTask(s, "b1", "toolu_1"), naiveQuotes(s, "b1", "toolu_1"); got != want {
			t.Fatalf("quotes b1: got %v, want %v", got, want)
		}
	})
}

// FuzzReadHead: a head never contradicts a full decode.
func FuzzReadHead_TR15(f *testing.F) {
	seeds(f, func(data []byte) {
		for line := range bytes.Lines(data) {
			f.Add(bytes.TrimSpace(line))
		}
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := checkHead(b); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzHandoff: what is read as an instant is one that RFC 3339 can print.
func FuzzHandoff_D35_stamp(f *testing.F) {
	for _, s := range []string{"2026-10-05T09:00:00.000Z", "2026-10-05T11:00:00+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999-23:59", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stamp string) {
		s := read(t, one(stamp), Options{Now: at0})
		if len(s.Handoffs) != 1 {
			t.Fatalf("%d handoffs", len(s.Handoffs))
		}
		h := s.Handoffs[0]
		if h.State.AnyText == HandoffOpen && (h.AgeSeconds == nil || *h.AgeSeconds < 0 || *h.AgeSeconds > (30*time.Minute).Seconds()) {
			t.Fatalf("open with age %v", h.AgeSeconds)
		}
	})
}

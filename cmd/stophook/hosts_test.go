package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/policy/evidence"
)

// hostCase is want.json of testdata/hosts: one Stop of another host, by whatever
// name, and what came of it.
type hostCase struct {
	Reason            string    `json:"reason"` // required
	Source            string    `json:"source"`
	Now               time.Time `json:"now"`
	Host              string    `json:"host"`
	Flags             []string  `json:"flags"`
	Verdict           string    `json:"verdict"`
	Code              string    `json:"code"`
	Wire              string    `json:"wire"` // as the script command of that name says it
	StdoutMustMention []string  `json:"stdout_must_mention"`
	Turn              *hostTurn `json:"turn"`
	Files             []string  `json:"files"`
}

type hostTurn struct {
	ToolCalls   int      `json:"tool_calls"`
	Evidence    []string `json:"evidence"`
	Remediation int      `json:"remediation_prompts"`
	Boxes       int      `json:"boxes"`
	Failed      int      `json:"failed"`
}

// Whole Stop events of other hosts, most of them recorded from the host itself,
// through the real binary: the verdict, the form of the answer, the turn's facts.
func TestHosts_Stop(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("testdata", "hosts", "*"))
	if err != nil || len(dirs) < 20 {
		t.Fatalf("%d cases (%v), too few to be the whole set", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			playHost(t, dir)
		})
	}
}

func playHost(t *testing.T, dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && name != evidenceLedger {
			t.Fatal(err)
		}
		return data
	}
	var want hostCase
	d := json.NewDecoder(bytes.NewReader(read("want.json")))
	d.DisallowUnknownFields()
	if err := d.Decode(&want); err != nil || want.Reason == "" || want.Now.IsZero() {
		t.Fatalf("want.json: %v; reason and now are required", err)
	}
	stdin := bytes.ReplaceAll(read("stdin.json"), []byte("@CASE_DIR@"), []byte(filepath.ToSlash(dir)))
	state := t.TempDir()
	if ledger := read(evidenceLedger); ledger != nil {
		var id string
		for _, key := range []string{"session_id", "sessionId", "conversation_id"} {
			id = firstText(id, gjson.GetBytes(stdin, key).String())
		}
		session, err := evidence.Store{Dir: state}.Session(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(session.Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(session.Path(), evidenceLedger), ledger, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := child{dir: t.TempDir(), env: map[string]string{"HOME": t.TempDir()}, stdin: stdin,
		args: append([]string{"hook", "--now", stampOf(want.Now), "--state-dir", state}, want.Flags...)}.run(t)
	if r.code != 0 {
		t.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
	checkHostAnswer(t, want, r.stdout)
	log, err := os.ReadFile(filepath.Join(state, "decisions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	checkHostDecision(t, want, string(log))
}

const evidenceLedger = "ledger.jsonl"

func checkHostAnswer(t *testing.T, want hostCase, stdout string) {
	t.Helper()
	kind := otherWire(stdout)
	if kind == "" {
		if err := legal(stdout); err != nil {
			t.Errorf("illegal stdout %q: %v", stdout, err)
		}
		kind = wireKind(stdout)
	}
	if kind != want.Wire {
		t.Errorf("%s\nthe wire carries %s, want %s: %q", want.Reason, kind, want.Wire, stdout)
	}
	for _, s := range want.StdoutMustMention {
		if !strings.Contains(stdout, s) {
			t.Errorf("stdout does not mention %q: %q", s, stdout)
		}
	}
}

func checkHostDecision(t *testing.T, want hostCase, log string) {
	t.Helper()
	got := func(path string) gjson.Result { return gjson.Get(log, path) }
	for path, value := range map[string]string{"result.verdict": want.Verdict, "result.code": want.Code,
		"input.host.name": want.Host, "input.host.event": "Stop"} {
		if got(path).String() != value {
			t.Errorf("%s\n%s is %q, want %q\nreason: %s\nmessage: %s", want.Reason, path, got(path), value, got("result.reason"), got("result.system_message"))
		}
	}
	if want.Turn == nil {
		return
	}
	turn := hostTurn{ToolCalls: int(got("input.turn.tool_calls").Int()), Remediation: int(got("input.turn.remediation_prompts").Int()), Evidence: []string{}}
	ids := map[string]bool{}
	for _, b := range got("input.turn.boxes.#.check_id").Array() {
		ids[b.String()] = true
	}
	turn.Boxes = len(ids)
	var files []string
	for _, c := range got("input.turn.tools").Array() {
		if e := c.Get("evidence").String(); e != "" {
			turn.Evidence = append(turn.Evidence, e)
		}
		if c.Get("failed").Bool() {
			turn.Failed++
		}
		if f := c.Get("file_path").String(); f != "" {
			files = append(files, f)
		}
	}
	if diff := cmp.Diff(*want.Turn, turn); diff != "" {
		t.Errorf("%s\nturn (-want +got):\n%s", want.Reason, diff)
	}
	if !slices.Equal(files, want.Files) {
		t.Errorf("files %q, want %q", files, want.Files)
	}
	if got("input.turn.final_text").String() == "" || got("input.turn.prompt_uuid").String() == "" {
		t.Errorf("final text %q, prompt %q", got("input.turn.final_text"), got("input.turn.prompt_uuid"))
	}
}

func firstText(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

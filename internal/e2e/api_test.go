package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

func startAPI(t *testing.T, script ...Reply) *API {
	t.Helper()
	a, err := NewAPI(script...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// question is a request for a message with the given user texts.
func question(stream bool, tool string, texts ...string) string {
	var messages []map[string]any
	for _, text := range texts {
		messages = append(messages, map[string]any{"role": "user", "content": text}, map[string]any{"role": "assistant", "content": "ok"})
	}
	doc, _ := json.Marshal(map[string]any{"model": "m1", "stream": stream, "tools": []any{map[string]any{"name": tool}},
		"messages": messages[:len(messages)-1]})
	return string(doc)
}

func request(t *testing.T, ctx context.Context, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, err.Error()
	}
	return res.StatusCode, string(data)
}

func ask(t *testing.T, a *API, body string) string {
	t.Helper()
	_, out := request(t, t.Context(), "POST", a.URL+"/v1/messages?beta=true", body)
	return out
}

// told is the text of an answer that was not streamed.
func told(answer string) string { return gjson.Get(answer, "content.0.text").String() }

func TestAPI_script(t *testing.T) {
	a := startAPI(t,
		Reply{When: "go", First: "^SUB", Blocks: []Block{Text("the subagent")}},
		Reply{When: "go", NotFirst: "^SUB", Blocks: []Block{Text("once")}},
		Always("^go", Text("again")),
		Reply{When: "say", Say: func(r *Request) []Block { return []Block{Text(r.Newest + "!")} }},
		Says("a.b", Text("over lines")),
	)
	for _, tc := range []struct {
		reason string
		texts  []string
		want   string
	}{
		{"the first that fits", []string{"go"}, "once"},
		{"it is used up", []string{"go"}, "again"},
		{"a repeated one is not", []string{"go on"}, "again"},
		{"by the first text, though used ones fit too", []string{"SUB x", "go"}, "the subagent"},
		{"only the newest text counts", []string{"go", "say so"}, "say so!"},
		{"a dot matches line ends", []string{"a\nb"}, "over lines"},
	} {
		if got := told(ask(t, a, question(false, "Bash", tc.texts...))); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
		}
	}
	if faults := a.Faults(); len(faults) > 0 {
		t.Errorf("all went by the script, and it says %q", faults)
	}
	if n := len(a.Requests()); n != 6 {
		t.Errorf("%d requests were seen, want 6", n)
	}
}

func TestAPI_faults(t *testing.T) {
	a := startAPI(t, Says("never", Text("x")))
	if got := told(ask(t, a, question(false, "Bash", "surprise"))); got == "" {
		t.Error("a request without a reply must get words, or the client tries again for ever")
	}
	if code, _ := request(t, t.Context(), "POST", a.URL+"/v1/messages", "{"); code != http.StatusBadRequest {
		t.Errorf("a broken body: status %d, want 400", code)
	}
	if code, _ := request(t, t.Context(), "POST", a.URL+"/v1/messages", `{"messages":[]}`); code != http.StatusBadRequest {
		t.Errorf("no user message: status %d, want 400", code)
	}
	faults := strings.Join(a.Faults(), "\n")
	for _, want := range []string{`no reply fits the newest text "surprise"`, `"never" was never asked for`, "no JSON", "no user message"} {
		if !strings.Contains(faults, want) {
			t.Errorf("no fault says %q in\n%s", want, faults)
		}
	}
}

func TestAPI_badExpression(t *testing.T) {
	if _, err := NewAPI(Says("(", Text("x"))); err == nil || !strings.Contains(err.Error(), `"("`) {
		t.Errorf("error %v, want one that shows the expression", err)
	}
}

func TestAPI_otherRequests(t *testing.T) {
	a := startAPI(t)
	for _, tc := range []struct{ method, path, want string }{
		{"HEAD", "/", ""},
		{"GET", "/v1/models", `{"data":[],"has_more":false}`},
		{"POST", "/v1/messages/count_tokens", `{"input_tokens":100}`},
		{"POST", "/api/event_logging", "{}"},
	} {
		code, body := request(t, t.Context(), tc.method, a.URL+tc.path, "{}")
		if code != 200 || strings.TrimSpace(body) != tc.want {
			t.Errorf("%s %s: %d %q, want 200 %q", tc.method, tc.path, code, body, tc.want)
		}
	}
	want := []string{"HEAD /", "GET /v1/models", "POST /v1/messages/count_tokens", "POST /api/event_logging"}
	if diff := cmp.Diff(want, a.Other()); diff != "" {
		t.Errorf("other requests (-want +got)\n%s", diff)
	}
}

// The API is the client's proxy as well: what would leave the machine is seen and refused.
func TestAPI_refusesToBeAProxy(t *testing.T) {
	a := startAPI(t)
	proxy, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyURL(proxy)}}
	for _, address := range []string{"http://elsewhere.example/v1/messages", "https://secure.example/"} {
		if res, err := client.Post(address, "application/json", strings.NewReader("{}")); err == nil {
			res.Body.Close()
			if res.StatusCode != http.StatusBadGateway {
				t.Errorf("%s: status %d, want 502", address, res.StatusCode)
			}
		}
	}
	contains(t, "the faults", strings.Join(a.Faults(), "\n"), "POST elsewhere.example", "CONNECT secure.example:443")
}

func TestAPI_sideRequests(t *testing.T) {
	a := startAPI(t, Says("title", Text("for the agent")))
	if got := told(ask(t, a, question(false, "Other", "title"))); got != "side" {
		t.Errorf("a request without a Bash tool got %q; it must not use up the script", got)
	}
	if len(a.Requests()) != 0 {
		t.Error("a request on the side counts as one of the agent")
	}
	ask(t, a, question(false, "Bash", "title"))
}

// streamed puts the events of a streamed answer together as a client does.
func streamed(t *testing.T, body string) (kinds []string, content []map[string]any, stop string) {
	t.Helper()
	for _, event := range strings.Split(strings.TrimSpace(body), "\n\n") {
		head, data, ok := strings.Cut(event, "\n")
		kind := strings.TrimPrefix(head, "event: ")
		doc := gjson.Parse(strings.TrimPrefix(data, "data: "))
		if !ok || doc.Get("type").String() != kind {
			t.Fatalf("no event: %q", event)
		}
		kinds = append(kinds, kind)
		switch kind {
		case "content_block_start":
			block := doc.Get("content_block").Value().(map[string]any)
			if int(doc.Get("index").Int()) != len(content) {
				t.Errorf("block index %s, want %d", doc.Get("index"), len(content))
			}
			content = append(content, block)
			block["parts"] = ""
		case "content_block_delta":
			last := content[len(content)-1]
			last["parts"] = last["parts"].(string) + doc.Get("delta.text").String() + doc.Get("delta.partial_json").String()
		case "message_delta":
			stop = doc.Get("delta.stop_reason").String()
		}
	}
	return kinds, content, stop
}

func TestAPI_stream(t *testing.T) {
	a := startAPI(t, Says("", Text("grüße"), Bash("ls -l"), BackgroundBash("make")))
	kinds, content, stop := streamed(t, ask(t, a, question(true, "Bash", "go")))
	if kinds[0] != "message_start" || kinds[len(kinds)-1] != "message_stop" || stop != "tool_use" {
		t.Errorf("events %v, stop %q", kinds, stop)
	}
	if len(content) != 3 || content[0]["parts"] != "grüße" {
		t.Fatalf("content %v", content)
	}
	if content[1]["parts"] != `{"command":"ls -l","description":"Run ls"}` || content[1]["name"] != "Bash" {
		t.Errorf("the tool call is %v", content[1])
	}
	if !strings.Contains(fmt.Sprint(content[2]["parts"]), `"run_in_background":true`) || content[1]["id"] == content[2]["id"] {
		t.Errorf("the background call is %v, ids must differ", content[2])
	}
}

func TestAPI_hold(t *testing.T) {
	gate := make(chan struct{})
	a := startAPI(t, Reply{Hold: gate, Blocks: []Block{Text("one"), Text("two")}})
	answer := make(chan string)
	go func() { answer <- ask(t, a, question(true, "Bash", "go")) }()
	if _, err := a.Await(t.Context(), func(r *Request) bool { return r.Newest == "go" }); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-answer:
		t.Fatalf("the answer came before it was let go: %s", got)
	default:
	}
	close(gate)
	if _, content, stop := streamed(t, <-answer); len(content) != 2 || stop != "end_turn" {
		t.Errorf("content %v, stop %q", content, stop)
	}
}

// A client that goes away, and a server that is closed, leave no answer hanging.
func TestAPI_heldAnswersEnd(t *testing.T) {
	a := startAPI(t, Reply{Repeat: true, Hold: make(chan struct{}), Blocks: []Block{Text("x")}})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		request(t, ctx, "POST", a.URL+"/v1/messages", question(true, "Bash", "go"))
	}()
	a.Await(t.Context(), func(*Request) bool { return true })
	cancel()
	<-gone

	closed := make(chan struct{})
	go func() {
		defer close(closed)
		request(t, t.Context(), "POST", a.URL+"/v1/messages", question(true, "Bash", "second"))
	}()
	a.Await(t.Context(), func(r *Request) bool { return r.Newest == "second" })
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	<-closed
	if conn, err := net.Dial("tcp", strings.TrimPrefix(a.URL, "http://")); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
}

func TestAPI_awaitHasADeadline(t *testing.T) {
	a := startAPI(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := a.Await(ctx, func(*Request) bool { return true }); err == nil {
		t.Error("nothing came, and no error")
	}
}

func TestRequest_texts(t *testing.T) {
	body := `{"messages":[
		{"role":"user","content":"hello"},
		{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]},
		{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"Command running in background with ID: b123. Output"},{"type":"tool_reference","tool_name":"X"}]},
			{"type":"tool_result","tool_use_id":"t2","content":"┌─ box k1 ─┐\n│ x │\n└──┘\nShow it"},
			{"type":"text","text":"and this"}]}],
		"tools":[{"name":"Bash"},{"name":"Read"}]}`
	req, err := parseRequest(http.Header{}, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := "TOOL_RESULT Command running in background with ID: b123. Output\n{\"type\":\"tool_reference\",\"tool_name\":\"X\"}\n" +
		"TOOL_RESULT ┌─ box k1 ─┐\n│ x │\n└──┘\nShow it\nand this"
	if req.First != "hello" || req.Newest != want {
		t.Errorf("first %q, newest %q", req.First, req.Newest)
	}
	if req.Box() != "┌─ box k1 ─┐\n│ x │\n└──┘" || req.TaskID() != "b123" || !slices.Equal(req.Tools, []string{"Bash", "Read"}) {
		t.Errorf("box %q, task %q, tools %v", req.Box(), req.TaskID(), req.Tools)
	}
	if none, _ := parseRequest(http.Header{}, []byte(question(false, "X", "no box"))); none.Box() != "" || none.TaskID() != "" || none.Main {
		t.Errorf("box %q, task %q, main %v of a plain request", none.Box(), none.TaskID(), none.Main)
	}
}

package hookio_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/stophook/stophook/policy/hookio"
)

// A whole Stop hook: read the payload, decide, answer. A payload that cannot be
// read lets the stop pass, and the person is told.
func Example() {
	stdin := strings.NewReader(`{"session_id":"s1","hook_event_name":"Stop","stop_hook_active":false,
		"last_assistant_message":"All done.","background_tasks":[{"id":"b1","type":"shell","status":"running"}]}`)

	answer := hookio.Allow()
	data, err := hookio.Read(stdin, hookio.DefaultLimit)
	var ev *hookio.Event
	if err == nil {
		ev, err = hookio.Decode(data, hookio.HostAuto)
	}
	switch {
	case err != nil:
		answer = answer.WithMessage("stophook saw nothing: " + err.Error())
	case ev.CanBlock() && ev.BackgroundTasks != nil && len(*ev.BackgroundTasks) > 0:
		answer = hookio.Block("Work is still running: " + (*ev.BackgroundTasks)[0].ID)
	}

	out, err := hookio.Encode(ev, answer, hookio.StyleDecision)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	fmt.Print(string(out))
	// Output: {"decision":"block","reason":"Work is still running: b1"}
}

func ExampleDecode_absent() {
	for _, payload := range []string{`{}`, `{"background_tasks":[]}`} {
		ev, _ := hookio.Decode([]byte(payload), hookio.HostAuto)
		running, known := ev.Task("b1")
		fmt.Println(running, known)
	}
	// Output:
	// false false
	// false true
}

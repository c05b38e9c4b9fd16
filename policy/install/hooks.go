package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/jsonedit"
)

// install puts everything in place, one edit after the other.
func (e *editor) install(opts Options) error {
	if e.host.version > 0 && e.doc.Get("version") == nil {
		if err := e.step(e.doc.Insert(e.doc.Root, "version", e.host.version)); err != nil {
			return err
		}
		e.say("version: %d, which %s asks for", e.host.version, e.host.title)
	}
	want := call{program: opts.Command, args: hookArgs(e.host, opts.Profile)}
	if err := e.installHooks(want, opts.Exec); err != nil {
		return err
	}
	if err := e.update(want, opts.Exec); err != nil {
		return err
	}
	return e.installRules(opts)
}

// installHooks adds a hook to every event that has none of ours.
func (e *editor) installHooks(want call, exec bool) error {
	have := map[string]bool{}
	for _, h := range e.hooks() {
		have[h.event] = true
	}
	var missing []event
	for _, ev := range e.host.events {
		if !have[ev.name] {
			missing = append(missing, ev)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var names []string
	if _, err := e.container(jsonedit.Object, "hooks"); err != nil {
		return err
	}
	for _, ev := range missing {
		list, err := e.container(jsonedit.Array, "hooks", ev.name)
		if err != nil {
			return err
		}
		if err := e.step(e.doc.Insert(list, "", e.host.item(ev, want, exec))); err != nil {
			return err
		}
		name := ev.name
		if ev.matcher != "" {
			name += " (" + ev.matcher + ")"
		}
		names = append(names, name)
	}
	e.say("hooks: %s added, each calls %s", strings.Join(names, ", "), want.commandLine())
	return nil
}

// item is what is added to the list of an event.
func (h host) item(ev event, want call, exec bool) jsonedit.Obj {
	hook := slices.Clone(h.before)
	if exec {
		args := jsonedit.Arr{}
		for _, a := range want.args {
			args = append(args, a)
		}
		hook = append(hook, jsonedit.Member{Key: "command", Value: want.program}, jsonedit.Member{Key: "args", Value: args})
	} else {
		hook = append(hook, jsonedit.Member{Key: "command", Value: want.commandLine()})
	}
	hook = append(hook, h.after...)
	if strings.EqualFold(ev.name, "stop") {
		hook = append(hook, h.stop...)
	}
	if !h.groups {
		return hook
	}
	group := jsonedit.Obj{{Key: "hooks", Value: jsonedit.Arr{hook}}}
	if ev.matcher != "" {
		group = append(jsonedit.Obj{{Key: "matcher", Value: ev.matcher}}, group...)
	}
	return group
}

// hooks are those of the document as it is now.
func (e *editor) hooks() []hook {
	return (&settings{host: e.host, path: e.path, doc: e.doc}).hooks()
}

// update makes every hook of ours say what is wanted, and removes the second of two
// for one event and matcher. Flags that somebody added stay.
func (e *editor) update(want call, exec bool) error {
	for i := 0; i < len(e.hooks()); i++ {
		all := e.hooks()
		h := all[i]
		if slices.ContainsFunc(all[:i], func(other hook) bool { return other.event == h.event && other.matcher == h.matcher }) {
			e.sayAbout(h.event, fmt.Sprintf("a second call of stophook removed (%s)", h.call.commandLine()))
			if err := e.removeHook(h); err != nil {
				return err
			}
			i--
			continue
		}
		next := call{program: want.program, args: slices.Concat(want.args, extraArgs(h.call.args))}
		if next.program == h.call.program && slices.Equal(next.args, h.call.args) && exec == (h.args != nil) {
			continue
		}
		if exec == (h.args != nil) && slices.Equal(sorted(next.args), sorted(h.call.args)) && next.program == h.call.program {
			continue // the same in another order
		}
		e.sayAbout(h.event, fmt.Sprintf("now calls %s, before it was %s", next.commandLine(), h.call.commandLine()))
		if err := e.rewrite(h, next, exec); err != nil {
			return err
		}
	}
	return nil
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// extraArgs are the arguments that an installation does not set.
func extraArgs(args []string) []string {
	var extra []string
	for i := 1; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		if name != "--profile" && name != "--host" {
			extra = append(extra, args[i])
		} else if !joined {
			i++
		}
	}
	return extra
}

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeNPM puts a shell script of that name first, and alone, on PATH.
func fakeNPM(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake npm is a shell script")
	}
	dir := t.TempDir()
	if script != "" {
		// Its own PATH: the script needs mkdir and chmod, the test must not find the real npm.
		text := "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script
		if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

const installs = `
grep -q '"lockfileVersion"' package-lock.json || exit 9
dir=node_modules/@anthropic-ai/claude-code-anything
mkdir -p $dir && echo x > $dir/package.json
printf '#!/bin/sh\necho "VERSION (Claude Code)"\n' > $dir/claude
chmod +x $dir/claude
`

func TestLocate(t *testing.T) {
	for _, tc := range []struct {
		reason, npm string
		mode        Mode
		skips       bool   // the reason wraps ErrUnavailable
		want        string // in the error; empty: no error
	}{
		{"switched off", installs, ModeOff, true, "STOPHOOK_E2E=off"},
		{"not in the cache, and nothing may be fetched", installs, ModeCached, true, "`make e2e` installs it"},
		{"there is no npm", "", ModeOn, true, "npm is not on PATH"},
		{"the registry does not answer", "echo 'npm error code ENOTFOUND' >&2; echo 'npm error network request to x failed' >&2; echo 'npm error A complete log of this run' >&2; exit 1",
			ModeOn, true, "exit status 1: code ENOTFOUND; network request to x failed"},
		{"checksums that do not fit are no reason to skip", "echo 'npm error code EINTEGRITY' >&2; exit 1", ModeOn, false, "fetched something else"},
		{"no package for this platform", "mkdir -p node_modules/@anthropic-ai/claude-code", ModeRequire, true, "no package for this platform"},
		{"another version than the pinned one", strings.ReplaceAll(installs, "VERSION", "9.9.9"), ModeOn, false, `is version "9.9.9"`},
		{"a binary that does not run here", strings.ReplaceAll(installs, `echo "VERSION (Claude Code)"`, "echo no such loader; exit 127"), ModeOn, true, "does not run here"},
		{"all is well", strings.ReplaceAll(installs, "VERSION", Version()), ModeOn, false, ""},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			fakeNPM(t, tc.npm)
			cache := t.TempDir()
			env := func(name string) string { return map[string]string{EnvCache: cache}[name] }
			client, err := Locate(t.Context(), tc.mode, env)
			if tc.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				// It is there now: nothing is fetched again, and the cached mode finds it.
				fakeNPM(t, "exit 1")
				again, err := Locate(t.Context(), ModeCached, env)
				if err != nil || again.Path != client.Path || again.Version != Version() {
					t.Errorf("the second time: %+v, %v", again, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), tc.want) || errors.Is(err, ErrUnavailable) != tc.skips {
				t.Errorf("error %v (a reason to skip: %v), want %q (%v)", err, errors.Is(err, ErrUnavailable), tc.want, tc.skips)
			}
			if left, _ := filepath.Glob(filepath.Join(cache, ".installing-*")); len(left) > 0 {
				t.Errorf("left in the cache: %v", left)
			}
		})
	}
}

func TestSkipReason(t *testing.T) {
	unavailable := errors.Join(ErrUnavailable, errors.New("npm is not on PATH"))
	for _, tc := range []struct {
		reason string
		mode   Mode
		err    error
		want   string
	}{
		{"not there", ModeOn, unavailable, "npm is not on PATH"},
		{"not there, but required", ModeRequire, unavailable, ""},
		{"a fault is never a skip", ModeCached, errors.New("another version"), ""},
	} {
		got := skipReason(tc.mode, tc.err)
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
		}
	}
}

func TestParseMode(t *testing.T) {
	for _, text := range []string{"", "on", "require", "off"} {
		if got, err := ParseMode(text); err != nil || string(got) != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if got, err := ParseMode("yes"); err == nil || got != ModeOff || !strings.Contains(err.Error(), `STOPHOOK_E2E="yes"`) {
		t.Errorf("yes: %q, %v", got, err)
	}
}

func TestCacheDir(t *testing.T) {
	for _, tc := range []struct {
		reason string
		env    map[string]string
		want   string
	}{
		{"named", map[string]string{EnvCache: "/c", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/c"},
		{"the person's cache", map[string]string{"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/stophook-e2e"},
		{"a relative one is ignored, as XDG says", map[string]string{"XDG_CACHE_HOME": "x", "HOME": "/h"}, "/h/.cache/stophook-e2e"},
		{"no home at all", nil, ""},
	} {
		got, err := cacheDir(func(name string) string { return tc.env[name] })
		if filepath.ToSlash(got) != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q, %v, want %q", tc.reason, got, err, tc.want)
		}
	}
}

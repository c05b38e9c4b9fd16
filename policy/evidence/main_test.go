//go:build unix

package evidence

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the other process of the multi-process tests.
const (
	childJob  = "EVIDENCE_TEST_JOB"
	childDir  = "EVIDENCE_TEST_DIR"
	childName = "EVIDENCE_TEST_NAME"
	childRuns = "EVIDENCE_TEST_RUNS"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(childJob); job != "" {
		if err := child(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func child(job string) error {
	s, err := Store{Dir: os.Getenv(childDir), LockWait: time.Minute}.Session("shared")
	if err != nil {
		return err
	}
	runs, _ := strconv.Atoi(os.Getenv(childRuns))
	switch job {
	case "work":
		return work(s, os.Getenv(childName), runs)
	case "forever":
		out := bufio.NewWriterSize(os.Stdout, 1)
		for i := 0; ; i++ {
			if err := work(s, os.Getenv(childName)+"-"+strconv.Itoa(i), 1); err != nil {
				return err
			}
			fmt.Fprintln(out, i)
			out.Flush()
		}
	case "small-disk":
		return smallDisk(s, runs)
	}
	return errors.New("unknown job " + job)
}

// work appends runs events and counts each of them in the state.
func work(s *Session, name string, runs int) error {
	ctx := context.Background()
	for i := range runs {
		if err := s.Append(ctx, Event{Kind: TaskDeclared, Text: name + "/" + strconv.Itoa(i)}); err != nil {
			return err
		}
		err := s.Update(ctx, func(st *State) error {
			if !st.Remediation.Add("cycle", 1<<30) {
				return errors.New("limit reached")
			}
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := s.Load(); err != nil {
			return err
		}
	}
	return nil
}

// smallDisk writes until the file may not grow any more, in the middle of a line.
func smallDisk(s *Session, limit int) error {
	signal.Ignore(syscall.SIGXFSZ)
	lim := syscall.Rlimit{Cur: uint64(limit), Max: uint64(limit)}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil {
		return err
	}
	for i := range limit {
		err := s.Append(context.Background(), Event{ID: "x", Kind: TaskDeclared, Text: strconv.Itoa(i)})
		if errors.Is(err, syscall.EFBIG) || err != nil && i > 0 {
			fmt.Println(i)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return errors.New("the limit was never reached")
}

func startChild(t *testing.T, job, dir, name string, runs int) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childJob+"="+job, childDir+"="+dir, childName+"="+name, childRuns+"="+strconv.Itoa(runs))
	cmd.Stderr = os.Stderr
	return cmd
}

var start = time.Date(2026, 10, 5, 9, 0, 7, 0, time.UTC)

// testSession has a clock that steps one second and ids that count.
func testSession(t *testing.T, dir, id string) *Session {
	t.Helper()
	now, n := start.Add(-time.Second), 0
	st := Store{
		Dir:   dir,
		Now:   func() time.Time { now = now.Add(time.Second); return now },
		NewID: func() string { n++; return "e" + strconv.Itoa(n) },
	}
	s, err := st.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustAppend(t *testing.T, s *Session, events ...Event) {
	t.Helper()
	if err := s.Append(context.Background(), events...); err != nil {
		t.Fatal(err)
	}
}

func mustEvents(t *testing.T, s *Session) Log {
	t.Helper()
	log, err := s.Events()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func texts(log Log) []string {
	var out []string
	for _, e := range log.Events {
		out = append(out, e.Text)
	}
	return out
}

func mustWrite(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

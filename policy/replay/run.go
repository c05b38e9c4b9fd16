package replay

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stophook/stophook/policy"
)

// Run judges every stop of the transcripts that paths name: files, or folders that
// are searched for *.jsonl. The errors are those of ctx, of the policies and the
// configuration (none of which could judge anything), and of paths that do not
// exist or hold no transcript ([ErrNoTranscripts]).
func Run(ctx context.Context, paths []string, opts Options) (*Result, error) {
	judge := opts.gate().Judge(ctx)
	if err := judge.Err(); err != nil {
		return nil, err
	}
	s, err := sweepAll(ctx, paths, opts, []*policy.Judge{judge})
	if err != nil {
		return nil, err
	}
	r := &Result{Schema: Schema, Sessions: []Session{}, Limits: s.limits()}
	for _, p := range s.players {
		if p.listed() {
			r.Sessions = append(r.Sessions, p.session)
		}
	}
	r.Totals = s.totals(0)
	return r, nil
}

// sweep is what all files gave, in the order of their paths.
type sweep struct {
	found   *found
	players []*player
}

// sweepAll plays every file, the largest first so that no worker is left with a
// long one at the end.
func sweepAll(ctx context.Context, paths []string, opts Options, judges []*policy.Judge) (*sweep, error) {
	found, err := find(paths)
	if err != nil {
		return nil, err
	}
	s := &sweep{found: found, players: make([]*player, len(found.files))}
	var total int64
	order := make([]int, len(found.files))
	for i, f := range found.files {
		total += f.size
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(found.files[b].size, found.files[a].size) })
	var done atomic.Int64
	progress := func(n int64) {
		if opts.Progress != nil {
			opts.Progress(done.Add(n), total)
		}
	}
	var next atomic.Int32
	var workers sync.WaitGroup
	for range min(opts.workers(), len(order)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(order) || ctx.Err() != nil {
					return
				}
				s.players[order[i]] = play(ctx, found.files[order[i]], opts, judges, progress)
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// subagent tells a file that holds nothing but a subagent's rows.
func (p *player) subagent() bool {
	return p.session.Error == "" && p.walked.Main == 0 && p.walked.Sidechain > 0
}

// listed tells whether the session has anything to show.
func (p *player) listed() bool { return len(p.session.Stops) > 0 || p.session.Error != "" }

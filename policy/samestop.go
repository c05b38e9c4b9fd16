package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/stophook/stophook/policy/evidence"
)

// stopMoment is how far apart two processes can be that a host started for one
// stop. It is far below what an agent takes to stop again.
const stopMoment = time.Second

// again reports whether the present stop is one that another installation of ours
// has begun to judge: a host that has the hook twice, by a plugin and by its
// settings, gives both the same bytes at the same time. An installation that meets
// its own stop again meets a new one, however alike: hosts run a hook once a stop.
func (f *Facts) again(stop evidence.Stop) bool {
	if f.Source == "" || len(f.Event.Raw) == 0 || stop.Key == "" {
		return false // a replay, where each stop is one
	}
	apart := f.Now.Sub(stop.At)
	return apart < stopMoment && apart > -stopMoment && stop.Key == shortHash(f.Event.Raw) &&
		!slices.Contains(stop.By, shortHash([]byte(f.Source)))
}

// beforeStop gives back the state by which the other installation judges this very
// stop, so that both answer alike, whichever came first.
func (f *Facts) beforeStop() {
	if stop := f.State.Stop; f.again(stop) {
		f.State.Remediation, f.State.Nudged = stop.Remediation, stop.Nudged
	}
}

// sameStop is the state's memory of the present stop, begun when another stop was
// the latest. It is called under the session's lock.
func (f *Facts) sameStop(st *evidence.State) *evidence.Stop {
	switch {
	case f.again(st.Stop):
		st.Stop.By = append(st.Stop.By, shortHash([]byte(f.Source)))
	case f.Source == "" || len(f.Event.Raw) == 0:
		st.Stop = evidence.Stop{}
		return &evidence.Stop{Remediation: st.Remediation}
	default:
		st.Stop = evidence.Stop{Key: shortHash(f.Event.Raw), By: []string{shortHash([]byte(f.Source))}, At: f.Now.UTC(),
			Remediation: st.Remediation, Nudged: st.Nudged}
	}
	return &st.Stop
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

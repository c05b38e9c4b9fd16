package agentcore_test

import (
	"path/filepath"
	"testing"

	"github.com/stophook/stophook/agentcore/agenttest"
)

// The scenarios are the runtime's behaviour, one file each; their reasons carry the
// numbers of the requirements.
func TestScenarios(t *testing.T) { agenttest.Run(t, filepath.Join("testdata", "scenarios")) }

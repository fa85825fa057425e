package lanes

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSwitch runs this test again with the environment variable set.
func TestSwitch(t *testing.T) {
	if os.Getenv("STMVERIFY_LANES") == "off" {
		if Enabled() {
			t.Error("Enabled() = true with STMVERIFY_LANES=off")
		}
		return
	}
	if !Enabled() {
		t.Skip("this machine or build has no lanes")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSwitch$", "-test.v")
	cmd.Env = append(os.Environ(), "STMVERIFY_LANES=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestSwitch") {
		t.Fatalf("the child did not run the test:\n%s", out)
	}
}

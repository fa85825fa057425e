package limits

import "testing"

// TestProofFitsCertificate holds the two size bounds together: a multi-signature of the largest accepted size, in hex,
// still leaves room for the rest of its certificate.
func TestProofFitsCertificate(t *testing.T) {
	if rest := MaxCertificateBytes - 2*MaxProofBytes; rest < MaxStringBytes {
		t.Errorf("a largest proof leaves %d bytes of a certificate, want at least %d", rest, MaxStringBytes)
	}
}

// Package limits is the one table of resource bounds of this module (SPEC 9.1).
//
// Every bound is reachable before any signature was checked, so each is enforced before the allocation or the loop that
// it protects. A bound that is reached is reported as verdict.ErrLimit, never as a verdict on the data. The figures in
// the comments are those of the largest certificate known in 2026 (mainnet, epoch 643: 113 552 bytes of JSON, 59
// signatures, 1 971 indices, 127 signers) and of Cardano itself (about 3 000 stake pools).
package limits

// Text of one certificate.
const (
	// MaxCertificateBytes bounds the JSON text of one certificate: 35 times the largest known, and above what
	// MaxProofBytes of multi-signature in hex needs.
	MaxCertificateBytes = 4 << 20

	// MaxStringBytes bounds every JSON string but the keys and the multi-signature: network names, party identifiers
	// (56 characters on Cardano), message parts (404 characters the longest known).
	MaxStringBytes = 64 << 10

	// MaxNesting bounds nested arrays and objects. A certificate nests four deep, a proof five; 128 is where the
	// reference stops.
	MaxNesting = 128

	// MaxMessageParts bounds the entries of message_parts as they are read. There are twelve keys; a repeated key
	// replaces the value before, as in the reference, so that more entries than keys are possible.
	MaxMessageParts = 64

	// MaxSigners bounds metadata.signers and the signatures of one proof: five times the pools of Cardano.
	MaxSigners = 1 << 14
)

// The objects inside a certificate.
const (
	// MaxProofBytes bounds a multi-signature in bytes, whatever its encoding (JSON, legacy, CBOR): half of
	// MaxCertificateBytes, because it travels as hex. The largest known has 49 910.
	MaxProofBytes = MaxCertificateBytes/2 - MaxStringBytes

	// MaxKeyBytes bounds an aggregate verification key in bytes, whatever its encoding. The largest known has 202.
	MaxKeyBytes = 1 << 12

	// MaxIndexes bounds the lottery indices of one proof, all signatures together: twelve times the m of mainnet.
	// A proof may also not hold more than m + 1 indices.
	MaxIndexes = 1 << 18

	// MaxLeaves bounds the leaves of the registration tree: 350 times the pools of Cardano.
	MaxLeaves = 1 << 20
)

// A chain of certificates.
const (
	// MaxChainLength bounds the certificates between a leaf and its genesis certificate. Real chains hold one
	// certificate an epoch of five days, so that this is 224 years; SPEC 6.4 gives the tighter bound of one chain
	// (epochs of the leaf and of the genesis certificate). Whoever makes certificates up can sign a chain of this
	// length before the missing genesis signature shows, and it costs some seconds to walk.
	MaxChainLength = 1 << 14

	// MaxChainText bounds the text of a chain that is kept until the verdict, messages and names: 25 000 certificates of
	// the size that real ones have.
	MaxChainText = 16 << 20

	// MaxInputCertificates bounds the certificates read from one file, one stream or one folder, chained or not.
	MaxInputCertificates = 1 << 20

	// MaxIndexedCertificates bounds the certificates of an input that is not in walk order, which is indexed in memory,
	// about 150 bytes each: four certificates an epoch of the longest chain.
	MaxIndexedCertificates = 4 * MaxChainLength
)

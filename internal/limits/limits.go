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

	// MaxMemberName bounds the name of a member that is looked at. The longest known has 46 bytes.
	MaxMemberName = 1 << 10

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

	// MaxCulprits bounds the certificates of a chain that are named because their signatures do not verify, those nearest
	// to the leaf: finding each costs some equations, and whoever makes one can make a chain of them.
	MaxCulprits = 256
)

// Files, folders and streams of certificates.
const (
	// MaxInputCertificates bounds the certificates read from one file, one stream or one folder, chained or not.
	MaxInputCertificates = 1 << 20

	// MaxIndexedCertificates bounds the certificates of an input that is not in walk order, which is indexed in memory,
	// about 150 bytes each: four certificates an epoch of the longest chain.
	MaxIndexedCertificates = 4 * MaxChainLength

	// MaxSeparator bounds the white space between two certificates, which would otherwise let a small compressed file keep
	// the reader busy without ever delivering anything.
	MaxSeparator = 1 << 20

	// MaxSpool bounds the bytes written to a temporary file when compressed or standard input turns out not to be in walk
	// order: 9 000 certificates of mainnet.
	MaxSpool = 1 << 30

	// MaxSkipped bounds the bytes of JSON objects in a folder that are no certificates.
	MaxSkipped = 64 << 20
)

// What a light client reads and keeps.
const (
	// MaxWalkCertificates bounds the certificates of one walk unless the caller says otherwise. A chain has one certificate
	// an epoch of five days and three more (SPEC 6.4), so that this is 56 years.
	MaxWalkCertificates = 1 << 12

	// MaxWalkBytes bounds the texts of one walk, which stay in memory until they are stored, unless the caller says
	// otherwise. Mainnet certificates have 110 kB, so that this is four years of a chain from genesis; once it is stored, a
	// walk is short.
	MaxWalkBytes = 32 << 20

	// MaxListItems bounds the list of recent certificates. An aggregator sends 20.
	MaxListItems = 1000

	// MaxWindow bounds the memory that a zstd stream may ask for.
	MaxWindow = 8 << 20

	// MaxBundleBytes bounds a bundle after decompression. Ten years of mainnet certificates are 83 MB.
	MaxBundleBytes = 256 << 20

	// MaxStoredText bounds a text of a store after decompression: what is stored was bounded before.
	MaxStoredText = 4 * MaxCertificateBytes

	// MaxCheckpointBytes bounds a checkpoint file. The largest has about 2 kB.
	MaxCheckpointBytes = 1 << 20
)

// What else the command reads.
const (
	// MaxGenesisKeyText bounds the text of a genesis verification key: the longest valid one, 32 numbers of three digits in
	// JSON-hex, has 258 characters.
	MaxGenesisKeyText = 1 << 10

	// MaxGenesisKeyFile bounds a file with such a text and white space around it.
	MaxGenesisKeyFile = 4 << 10

	// MaxDistributionBytes bounds one published stake distribution: 30 times the signers of Cardano, some 1.3 kB each.
	MaxDistributionBytes = 128 << 20

	// MaxDistributions bounds the distributions of one file.
	MaxDistributions = 1 << 12

	// MaxEd25519Line bounds a line of a file of signatures: a message of 2 MB.
	MaxEd25519Line = 4 << 20

	// MaxEd25519Message bounds a message in a file of its own. What the network signs has 64 bytes.
	MaxEd25519Message = 16 << 20
)

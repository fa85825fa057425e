// Package certificate holds one Mithril certificate: it decodes the aggregator's JSON (SPEC 1), computes every hash of SPEC 3
// and writes the JSON back.
//
// It verifies nothing. A decoded certificate has the right types, lengths and ranges, and its keys and signatures are points of
// the right groups; whether its hash, its message, its signature and its parent agree is for package chain to say. Of all its
// fields, only [Certificate.ProtocolMessage] is signed (SPEC 0): whoever serves a certificate can write any hash, epoch, entity
// type, network, date and list of signers into it.
//
// Decoding accepts what the reference accepts (SPEC 11.1) but for the rules that SPEC 9.1 and 11.3 add, each of which has its own
// name in package verdict: message-part-malformed, parameters-out-of-range, date-out-of-range and limit-exceeded. A field that
// occurs twice in a structure is an error; an entry that occurs twice in message_parts replaces the one before. Both are what
// the reference does.
//
// Certificates of the Lagrange era, with SNARK proofs, ancillary data or the rigid message hash, are recognised and refused with
// an error of class verdict.ErrUnsupported. [Inspect] decodes them all the same, to show and hash them.
//
// The hashes take time linear in the certificate. Everything here is safe for concurrent use as long as nobody modifies a
// certificate, and a certificate keeps a reference to the text it was decoded from.
package certificate

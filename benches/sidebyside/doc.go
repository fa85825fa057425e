// Command sidebyside measures this module beside the reference: the published
// crates mithril-stm and mithril-common, built as small programs in the folders
// reference and reference-multisig. Both verify the same inputs in turn, in one
// run, so that their ratio holds on a noisy machine too.
//
//	go run ./benches/sidebyside -update README.md
//
// It writes a table between the lines <!-- bench:begin --> and <!-- bench:end -->
// of the files given by -update. Without cargo it says so and measures nothing.
package main

// Package doccheck holds the documents of this module against its code: every public name has a comment, every public package an
// example, every function and test that SECURITY.md names exists, and every rule and every limit has a line there. It consists of tests.
package doccheck

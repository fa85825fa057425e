// Package doccheck holds the documents of this module against its code: every public name has a comment, every public package an
// example, and every function and test that SECURITY.md names exists. It consists of tests.
package doccheck

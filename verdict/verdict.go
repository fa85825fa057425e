// Package verdict names the ways in which a verification can end without success.
//
// There are four classes of refusal. Every error of this module that concerns data or a provider wraps exactly one of
// [ErrInvalid], [ErrUnavailable], [ErrUnsupported] and [ErrLimit], so that a caller decides with [errors.Is] what to do
// next, whatever package the error came from. The command maps them to the exit codes 2, 3, 4 and 5.
//
// A [Rule] is the stable, kebab-case name of what was broken; a [Detail] says which part of the multi-signature rule.
// Both appear in messages, in JSON output and in the vector files, and do not change between releases.
package verdict

import "errors"

// The four classes of refusal.
var (
	// ErrInvalid says that the data was checked and refused. Asking again cannot help.
	ErrInvalid = errors.New("invalid")
	// ErrUnavailable says that a provider did not deliver what was asked for. Asking again, or another one, may help.
	ErrUnavailable = errors.New("unavailable")
	// ErrUnsupported says that the data uses an era, a proof type or an encoding that this module recognises but cannot verify.
	ErrUnsupported = errors.New("unsupported")
	// ErrLimit says that a resource bound was reached before a verdict.
	ErrLimit = errors.New("limit exceeded")
)

// sentinel is an error value that belongs to a class.
type sentinel struct {
	class error
	text  string
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Unwrap() error { return s.class }

// Sentinel returns a new error value with the given text for which errors.Is(err, class) holds. It serves package
// variables; class is one of the four classes above.
func Sentinel(class error, text string) error { return &sentinel{class, text} }

// Class returns the class that err wraps, or nil when it wraps none of them: a usage error, an input/output error or a
// cancelled context.
func Class(err error) error {
	for _, class := range [...]error{ErrLimit, ErrUnsupported, ErrUnavailable, ErrInvalid} {
		if errors.Is(err, class) {
			return class
		}
	}
	return nil
}

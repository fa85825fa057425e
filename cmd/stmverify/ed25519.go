package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/ed25519"
	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

func newEd25519Command(a *app) *cobra.Command {
	return group("ed25519", "Verify Ed25519 signatures", newEd25519VerifyCommand(a))
}

// ed25519Flags are the flags of ed25519 verify.
type ed25519Flags struct {
	mode        string
	key         string
	signature   string
	message     string
	messageHex  string
	messageFile string
}

func newEd25519VerifyCommand(a *app) *cobra.Command {
	var f ed25519Flags
	cmd := &cobra.Command{
		Use:   "verify [file|-]",
		Short: "Verify one signature, or a file of them",
		Long: `Verify one signature, given by flags, or those of a file.

The file holds one JSON object a line, with all values in hexadecimal:
  {"public_key": "…", "message": "…", "signature": "…"}
Blank lines are skipped.

Modes:
  strict             as Mithril: no cofactor, neither key nor R of small order
  cofactored-strict  with cofactor; key and R canonical and not of small order
  zip215             with cofactor; any encoding (Zcash, CometBFT)
  stdlib             as Go's crypto/ed25519`,
		Example: `  stmverify ed25519 verify --key genesis.vkey --message TEXT --signature HEX
  stmverify ed25519 verify --mode zip215 signatures.jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			mode, err := ed25519.ParseMode(f.mode)
			if err != nil {
				return usageError(cmd, fmt.Errorf("--mode: %q is none of strict, cofactored-strict, zip215, stdlib", f.mode))
			}
			if len(args) == 1 {
				return a.verifyEd25519Lines(cmd.Context(), mode, args[0])
			}
			return a.verifyEd25519(mode, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.mode, "mode", ed25519.Strict.String(), "rule `set`: strict, cofactored-strict, zip215 or stdlib")
	flags.StringVar(&f.key, "key", "", "public `key`: a file, JSON-hex or 64 hexadecimal characters")
	flags.StringVar(&f.signature, "signature", "", "signature in `hex`, 128 characters")
	flags.StringVar(&f.message, "message", "", "message as `text`")
	flags.StringVar(&f.messageHex, "message-hex", "", "message in `hex`")
	flags.StringVar(&f.messageFile, "message-file", "", "message in a `file`, all of it; '-' is standard input")
	cmd.MarkFlagsMutuallyExclusive("message", "message-hex", "message-file")
	given := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := given(cmd, args); err != nil {
			return err
		}
		return f.check(cmd, len(args) == 1)
	}
	return cmd
}

// check requires either a file or the flags of one signature.
func (f *ed25519Flags) check(cmd *cobra.Command, file bool) error {
	changed := cmd.Flags().Changed
	message := changed("message") || changed("message-hex") || changed("message-file")
	switch {
	case file && (message || changed("key") || changed("signature")):
		return errors.New("a file and the flags of one signature exclude each other")
	case file:
		return nil
	case !changed("key"), !changed("signature"), !message:
		return errors.New("give a file, or --key, --signature and one of --message, --message-hex, --message-file")
	}
	return nil
}

// ed25519Result is the outcome of ed25519 verify.
type ed25519Result struct {
	Schema     string           `json:"schema"`
	Verdict    string           `json:"verdict"` // valid or invalid
	Mode       string           `json:"mode"`
	Signatures int              `json:"signatures"`
	Invalid    int              `json:"invalid"`
	Refused    []ed25519Refusal `json:"refused,omitempty"` // the first maxRefusals of them
	Error      *failure         `json:"error,omitempty"`
	pending    []int            // lines of the signatures that are not verified yet
}

// ed25519Refusal is one invalid signature.
type ed25519Refusal struct {
	Line   int    `json:"line,omitempty"` // in the file, the first is 1
	Reason string `json:"reason"`
}

// maxRefusals bounds the refusals that are printed. All are counted.
const maxRefusals = 1000

func (r *ed25519Result) text(w *writer) {
	about := fmt.Sprintf("%d signatures, mode %s", r.Signatures, r.Mode)
	if r.Invalid > 0 {
		about = fmt.Sprintf("%d of %s", r.Invalid, about)
	}
	if r.Signatures == 1 {
		about = fmt.Sprintf("1 signature, mode %s", r.Mode)
	}
	w.verdict(r.Invalid == 0, r.Verdict, about)
	for _, refusal := range r.Refused {
		if refusal.Line > 0 {
			w.field(fmt.Sprintf("line %d", refusal.Line), refusal.Reason)
			continue
		}
		w.field("reason", refusal.Reason)
	}
	if more := r.Invalid - len(r.Refused); more > 0 {
		w.field("more", more)
	}
}

// add counts a verdict.
func (r *ed25519Result) add(line int, err error) {
	r.Signatures++
	if err == nil {
		return
	}
	r.Invalid++
	if len(r.Refused) < maxRefusals {
		r.Refused = append(r.Refused, ed25519Refusal{line, err.Error()})
	}
}

// finish prints the result and returns err, which is nil if all signatures are valid.
func (a *app) finishEd25519(r *ed25519Result, mode ed25519.Mode, err error) error {
	r.Schema, r.Mode, r.Verdict = "stmverify/ed25519-verify/v1", mode.String(), "valid"
	if err != nil {
		r.Verdict, r.Error = "invalid", newFailure(err)
	}
	if printErr := a.print(r); printErr != nil {
		return printErr
	}
	return err
}

// verifyEd25519 verifies the signature that the flags give.
func (a *app) verifyEd25519(mode ed25519.Mode, f *ed25519Flags) error {
	key, err := readGenesisKey("--key", f.key)
	if err != nil {
		return err
	}
	sig, err := hex.DecodeString(f.signature)
	if err != nil {
		return fmt.Errorf("--signature: %w", err)
	}
	message, err := a.ed25519Message(f)
	if err != nil {
		return err
	}
	var r ed25519Result
	err = ed25519.Verify(mode, key[:], message, sig)
	r.add(0, err)
	return a.finishEd25519(&r, mode, err)
}

// ed25519Message returns the message that the flags give.
func (a *app) ed25519Message(f *ed25519Flags) ([]byte, error) {
	switch {
	case f.messageFile == "-":
		return readMessage("standard input", a.stdin)
	case f.messageFile != "":
		file, err := os.Open(f.messageFile)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return readMessage(f.messageFile, file)
	case f.messageHex != "":
		message, err := hex.DecodeString(f.messageHex)
		if err != nil {
			return nil, fmt.Errorf("--message-hex: %w", err)
		}
		return message, nil
	}
	return []byte(f.message), nil
}

// readMessage reads all of r, which is hashed twice and therefore held in memory.
func readMessage(name string, r io.Reader) ([]byte, error) {
	message, err := io.ReadAll(io.LimitReader(r, limits.MaxEd25519Message+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(message) > limits.MaxEd25519Message {
		return nil, fmt.Errorf("%s: message of more than %d bytes: %w", name, limits.MaxEd25519Message, verdict.ErrLimit)
	}
	return message, nil
}

const (
	// ed25519Part is how many signatures are verified while the next are read, and ed25519Window how many, and
	// ed25519Bytes how many bytes of text, are kept at most.
	ed25519Part   = 2048
	ed25519Window = 16384
	ed25519Bytes  = 64 << 20
)

// ed25519Line is one line of a file of signatures.
type ed25519Line struct{ publicKey, message, signature []byte }

// lineError says which line of a file is malformed.
type lineError struct {
	file string
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("%s: line %d: %v", e.file, e.line, e.err) }
func (e *lineError) Unwrap() error { return e.err }

// errMalformedLine is the class of a line that is not what it should be.
var errMalformedLine = verdict.Sentinel(verdict.ErrInvalid, "malformed line")

// parse reads an object with exactly the three members, each once.
func (l *ed25519Line) parse(text []byte) error {
	*l = ed25519Line{}
	decoded := make([]byte, 0, len(text)/2) // Of all three members. They outlive the text.
	s := jsonhex.NewScanner(text)
	err := s.Object(func(key []byte) error {
		field := l.field(string(key))
		if field == nil {
			return errors.New("unknown field")
		}
		if *field != nil {
			return errors.New("field occurs twice")
		}
		value, err := s.String(len(text))
		if err != nil {
			return err
		}
		start := len(decoded)
		if decoded, err = hex.AppendDecode(decoded, value); err != nil {
			return err
		}
		*field = decoded[start:len(decoded):len(decoded)]
		return nil
	})
	if err == nil {
		err = s.End()
	}
	if errors.Is(err, jsonhex.ErrSyntax) {
		return fmt.Errorf("%w: not JSON: %w", errMalformedLine, err)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errMalformedLine, err)
	}
	if l.publicKey == nil || l.message == nil || l.signature == nil {
		return fmt.Errorf("%w: public_key, message and signature are required", errMalformedLine)
	}
	return nil
}

func (l *ed25519Line) field(name string) *[]byte {
	switch name {
	case "public_key":
		return &l.publicKey
	case "message":
		return &l.message
	case "signature":
		return &l.signature
	}
	return nil
}

// verifyEd25519Lines verifies the signatures of a file, and names the invalid ones.
func (a *app) verifyEd25519Lines(ctx context.Context, mode ed25519.Mode, path string) error {
	in := a.stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	batch, err := ed25519.NewBatch(mode, ed25519.Options{Workers: a.jobs})
	if err != nil {
		return err
	}
	defer batch.Reset() // nothing goes on in the background after an early return
	var r ed25519Result
	var line ed25519Line
	size := 0
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, limits.MaxEd25519Line+1) // With the newline.
	for number := 1; scanner.Scan(); number++ {
		if len(bytes.Trim(scanner.Bytes(), " \t\r")) == 0 {
			continue
		}
		if err := line.parse(scanner.Bytes()); err != nil {
			return &lineError{path, number, err}
		}
		batch.Add(line.publicKey, line.message, line.signature)
		r.pending = append(r.pending, number)
		size += len(scanner.Bytes())
		if batch.Len()%ed25519Part == 0 {
			batch.Start(ctx)
		}
		if batch.Len() == ed25519Window || size > ed25519Bytes {
			if err := r.verify(ctx, batch); err != nil {
				return err
			}
			size = 0
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s: line of more than %d bytes: %w", path, limits.MaxEd25519Line, verdict.ErrLimit)
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if batch.Len() > 0 || r.Signatures == 0 {
		if err := r.verify(ctx, batch); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if r.Invalid > 0 {
		err = fmt.Errorf("%s: %w", path, &refusedLines{r.Invalid, r.Signatures})
	}
	return a.finishEd25519(&r, mode, err)
}

// refusedLines says how many signatures of a file are invalid.
type refusedLines struct{ invalid, total int }

func (e *refusedLines) Error() string {
	return fmt.Sprintf("%d of %d signatures are invalid", e.invalid, e.total)
}

func (e *refusedLines) Unwrap() error { return verdict.ErrInvalid }

// verify verifies a batch, counts its verdicts and empties it. Its error is not about an invalid signature.
func (r *ed25519Result) verify(ctx context.Context, batch *ed25519.Batch) error {
	err := batch.Verify(ctx)
	var refused *ed25519.BatchError
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	for i, err := range batch.Verdicts(nil) {
		r.add(r.pending[i], err)
	}
	r.pending = r.pending[:0]
	batch.Reset()
	return nil
}

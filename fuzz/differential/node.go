package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// node is a JSON value that keeps what encoding/json loses: the order of fields, fields that occur twice, the spelling of
// numbers.
type node struct {
	kind   byte // one of { [ " and 0 for a literal: a number, true, false, null, or anything else that shall stand there
	text   string
	fields []field // of an object; of an array with empty names
}

type field struct {
	name  string
	value *node
}

func literal(text string) *node { return &node{text: text} }
func text(s string) *node       { return &node{kind: '"', text: s} }
func number(n uint64) *node     { return literal(strconv.FormatUint(n, 10)) }

func array(values ...*node) *node {
	n := &node{kind: '['}
	for _, v := range values {
		n.fields = append(n.fields, field{"", v})
	}
	return n
}

// parseNode reads one JSON value.
func parseNode(data []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return readNode(d)
}

func readNode(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		n := &node{kind: byte(v)}
		for d.More() {
			var f field
			if n.kind == '{' {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				f.name = name.(string)
			}
			if f.value, err = readNode(d); err != nil {
				return nil, err
			}
			n.fields = append(n.fields, f)
		}
		_, err := d.Token()
		return n, err
	case string:
		return text(v), nil
	case json.Number:
		return literal(v.String()), nil
	case nil:
		return literal("null"), nil
	}
	return literal(fmt.Sprint(token)), nil
}

// clone returns a deep copy.
func (n *node) clone() *node {
	c := &node{kind: n.kind, text: n.text}
	for _, f := range n.fields {
		c.fields = append(c.fields, field{f.name, f.value.clone()})
	}
	return c
}

// append writes the value without white space.
func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case '{', '[':
		dst = append(dst, n.kind)
		for i, f := range n.fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			if n.kind == '{' {
				dst = append(appendText(dst, f.name), ':')
			}
			dst = f.value.append(dst)
		}
		return append(dst, n.kind+2)
	case '"':
		return appendText(dst, n.text)
	}
	return append(dst, n.text...)
}

func appendText(dst []byte, s string) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // A string has an encoding.
	}
	return append(dst, strings.TrimSuffix(b.String(), "\n")...)
}

// get follows names. It returns an empty literal where there is none, so that callers need not look: as in the reference, the last
// of two fields counts.
func (n *node) get(names ...string) *node {
	for _, name := range names {
		next := literal("")
		for _, f := range n.fields {
			if f.name == name && n.kind == '{' {
				next = f.value
			}
		}
		n = next
	}
	return n
}

// set replaces the value of a field, or adds the field.
func (n *node) set(name string, value *node) {
	for i := len(n.fields) - 1; i >= 0; i-- {
		if n.fields[i].name == name {
			n.fields[i].value = value
			return
		}
	}
	n.fields = append(n.fields, field{name, value})
}

// remove deletes the fields with the name.
func (n *node) remove(name string) {
	var kept []field
	for _, f := range n.fields {
		if f.name != name {
			kept = append(kept, f)
		}
	}
	n.fields = kept
}

// uint64 reads a number leniently: zero when it is none.
func (n *node) uint64() uint64 {
	v, _ := strconv.ParseUint(n.text, 10, 64)
	return v
}

// each calls f for the value and everything in it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, c := range n.fields {
		c.value.each(f)
	}
}

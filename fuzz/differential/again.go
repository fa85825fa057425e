package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/network"
)

// again compares chains from a file and prints both verdicts of each.
func again(oraclePath, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	o := &oracle{path: oraclePath}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	differences := 0
	for s.Scan() {
		var r result
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			return err
		}
		key, err := network.ParseKey(r.GenesisKey)
		if err != nil {
			return fmt.Errorf("%w: %s", err, hex.EncodeToString([]byte(r.GenesisKey)))
		}
		for _, t := range r.Texts {
			r.Certificates = append(r.Certificates, json.RawMessage(t))
		}
		ours := judge(r.Certificates, key, multisig.NewKeyCache(16), true)
		theirs, err := o.verifyFile(&chainLine{r.Certificates, r.GenesisKey})
		if err != nil {
			return err
		}
		allowed, difference := "", ""
		if theirs != noVerdict {
			allowed, difference = outcome(r.Certificates, ours, theirs)
		}
		if difference != "" {
			differences++
		}
		fmt.Printf("%v\n  ours:    %v\n  theirs:  %s\n  allowed: %s\n  difference: %s\n", r.Names, ours, theirs, allowed, difference)
	}
	if err := s.Err(); err != nil {
		return err
	}
	if differences > 0 {
		return fmt.Errorf("%d differences", differences)
	}
	return nil
}

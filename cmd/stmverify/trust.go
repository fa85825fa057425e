package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/network"
)

// genesisKeyVariable is the environment variable that existing clients read the genesis verification key from.
const genesisKeyVariable = "GENESIS_VERIFICATION_KEY"

// trustFlags are the flags that say what a verification rests on.
type trustFlags struct {
	genesisKey string
	network    string
}

func (f *trustFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.genesisKey, "genesis-vkey", "",
		"genesis verification `key`: a file, JSON-hex or 64 hexadecimal characters (default $"+genesisKeyVariable+")")
	flags.StringVar(&f.network, "network", "",
		"require certificates of this `network`, and use its published key unless --genesis-vkey is given: mainnet, preprod or preview, or any other name with --genesis-vkey")
}

// given reports whether there is anything to take a genesis key from.
func (f *trustFlags) given(a *app) bool {
	return f.genesisKey != "" || f.network != "" || a.getenv(genesisKeyVariable) != ""
}

// networkName returns the name that certificates of the network carry.
func (f *trustFlags) networkName() string {
	if n, err := network.Lookup(f.network); err == nil {
		return n.Short
	}
	return f.network
}

var errNoGenesisKey = errors.New("no genesis verification key")

// resolve returns the genesis key and the network name that certificates must carry, "" for any. The key comes from
// --genesis-vkey, else from the network, else from the environment. It never comes from beside the certificates.
func (f *trustFlags) resolve(a *app) (key network.Key, name string, err error) {
	n, lookupErr := network.Lookup(f.network)
	name = f.networkName()
	variable := a.getenv(genesisKeyVariable)
	switch {
	case f.genesisKey != "":
		key, err = readGenesisKey("--genesis-vkey", f.genesisKey)
	case f.network != "" && lookupErr != nil:
		err = withHint(lookupErr, "a network that is not published needs --genesis-vkey")
	case f.network != "":
		key = n.Key
		f.warnDifference(a, variable, key)
	case variable != "":
		key, err = readGenesisKey("$"+genesisKeyVariable, variable)
	default:
		err = withHint(errNoGenesisKey, "give --network, or --genesis-vkey, or set $"+genesisKeyVariable+"; 'stmverify networks' lists the published keys")
	}
	return key, name, err
}

// warnDifference tells the user whose environment names another key than the network that the network's is used.
func (f *trustFlags) warnDifference(a *app, variable string, key network.Key) {
	if variable == "" {
		return
	}
	if other, err := readGenesisKey("$"+genesisKeyVariable, variable); err != nil || other != key {
		a.warn("$%s is not the key of --network %s; the key of the network is used", genesisKeyVariable, f.network)
	}
}

// readGenesisKey reads a key given as text, or as the name of a file that holds one.
func readGenesisKey(source, value string) (network.Key, error) {
	key, err := network.ParseKey(value)
	if err == nil {
		return key, nil
	}
	if isHex(value) {
		return network.Key{}, fmt.Errorf("%s: %d characters, where a key has %d or is JSON-hex: %w", source, len(value), 2*network.KeySize, err)
	}
	file, err := os.Open(value)
	if errors.Is(err, fs.ErrNotExist) || err != nil && len(value) > longestName {
		return network.Key{}, fmt.Errorf("%s: %q is neither a file nor a key: no such file, and %d characters, where a key has %d hexadecimal ones or is JSON-hex",
			source, shorten(value), len(value), 2*network.KeySize)
	}
	if err != nil {
		return network.Key{}, fmt.Errorf("%s: %w", source, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limits.MaxGenesisKeyFile+1))
	if err == nil && len(text) > limits.MaxGenesisKeyFile {
		err = fmt.Errorf("%s: a file of more than %d bytes is no key", value, limits.MaxGenesisKeyFile)
	}
	if err != nil {
		return network.Key{}, fmt.Errorf("%s: %w", source, err)
	}
	if key, err = network.ParseKey(string(text)); err != nil {
		return network.Key{}, fmt.Errorf("%s: %s: %w", source, value, err)
	}
	return key, nil
}

// longestName is the length of the longest name that file systems have for a file in a folder.
const longestName = 255

// isHex reports whether text can only be meant as a key: 64 or more hexadecimal characters.
func isHex(text string) bool {
	return len(text) >= 2*network.KeySize && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// Checks, with Go's own packages for notes and trees, what this app has signed and published: main.ts hands it over on
// standard input, and reads on standard output what did not hold.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type proof struct {
	Index int64
	Leaf  string
	Path  []string
}

type growth struct {
	OldSize int64
	OldRoot string
	Path    []string
}

type given struct {
	VerifierKey string
	Checkpoint  string
	Folder      string
	Leaves      []string
	Receipts    []proof
	Growths     []growth
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func hashOf(text string) (hash tlog.Hash) {
	bytes, err := base64.StdEncoding.DecodeString(text)
	must(err)
	copy(hash[:], bytes)
	return hash
}

// The tiles of the folder; C2SP names them without the height, which is always 8.
type folder string

func (f folder) Height() int { return 8 }
func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var read [][]byte
	for _, tile := range tiles {
		name := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		bytes, err := os.ReadFile(filepath.Join(string(f), name))
		if err != nil {
			return nil, err
		}
		read = append(read, bytes)
	}
	return read, nil
}
func (f folder) SaveTiles([]tlog.Tile, [][]byte) {}

func main() {
	var in given
	must(json.NewDecoder(os.Stdin).Decode(&in))
	passed, wrong := 0, []string{}
	expect := func(holds bool, what string) {
		if holds {
			passed++
		} else {
			wrong = append(wrong, what)
		}
	}

	verifier, err := note.NewVerifier(in.VerifierKey)
	must(err)
	opened, err := note.Open([]byte(in.Checkpoint), note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root := hashOf(lines[2])
	expect(size == int64(len(in.Leaves)), "the head has as many events as the log")
	_, err = note.Open([]byte(strings.Replace(in.Checkpoint, lines[1], lines[1]+"0", 1)), note.VerifierList(verifier))
	expect(err != nil, "a changed head is refused")

	// The root from the leaves, as Go computes it.
	stored := []tlog.Hash{}
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := []tlog.Hash{}
		for _, index := range indexes {
			hashes = append(hashes, stored[index])
		}
		return hashes, nil
	})
	for n, leaf := range in.Leaves {
		bytes, err := base64.StdEncoding.DecodeString(leaf)
		must(err)
		hashes, err := tlog.StoredHashes(int64(n), bytes, reader)
		must(err)
		stored = append(stored, hashes...)
	}
	computed, err := tlog.TreeHash(size, reader)
	must(err)
	expect(computed == root, "the root of the leaves is the signed root")

	// Our tiles, which Go's reader believes only where they lead to the root.
	tiles := tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, folder(in.Folder))
	for n, receipt := range in.Receipts {
		bytes, err := base64.StdEncoding.DecodeString(receipt.Leaf)
		must(err)
		path := tlog.RecordProof{}
		for _, one := range receipt.Path {
			path = append(path, hashOf(one))
		}
		record := tlog.RecordHash(bytes)
		name := fmt.Sprintf("receipt %d, of event %d", n, receipt.Index)
		expect(tlog.CheckRecord(path, size, root, receipt.Index, record) == nil, name)
		expect(tlog.CheckRecord(path, size, root, (receipt.Index+1)%size, record) != nil, name+", refused at another place")
		ours, err := tlog.ProveRecord(size, receipt.Index, tiles)
		expect(err == nil && fmt.Sprint(ours) == fmt.Sprint(path), name+", as Go makes it from our tiles")
	}
	for _, one := range in.Growths {
		path := tlog.TreeProof{}
		for _, text := range one.Path {
			path = append(path, hashOf(text))
		}
		name := fmt.Sprintf("growth from %d", one.OldSize)
		expect(tlog.CheckTree(path, size, root, one.OldSize, hashOf(one.OldRoot)) == nil, name)
		expect(tlog.CheckTree(path, size, root, one.OldSize, root) != nil, name+", refused from another root")
	}
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{"passed": passed, "wrong": wrong}))
}

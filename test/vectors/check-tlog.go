// Verifies a log that is served over HTTP with Go's own library: the signatures of its checkpoint by the log and a witness,
// the root from its leaves alone, proofs of leaves, and that checkpoint's tiles.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run test/vectors/check-tlog.go <url of the log> <vkey> <proofs> <vkey of the witness>
//
// Prints the size of the tree and how many proofs it has verified; ends with status 1 when anything does not hold.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8
const width = 1 << height

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func require(holds bool, what string) {
	if !holds {
		must(fmt.Errorf("does not hold: %s", what))
	}
}

func get(path string) []byte {
	response, err := http.Get(os.Args[1] + path)
	must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(err)
	require(response.StatusCode == 200, fmt.Sprintf("%s: %d %s", path, response.StatusCode, body))
	return body
}

// A verifier of cosignatures, which the library does not know.
type witness struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return w.hash }

func (w witness) Verify(text, signature []byte) bool {
	if len(signature) != 72 {
		return false
	}
	time := binary.BigEndian.Uint64(signature)
	signed := append([]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", time)), text...)
	return ed25519.Verify(w.key, signed, signature[8:])
}

func parse(vkey string) witness {
	parts := strings.SplitN(vkey, "+", 3)
	data, err := base64.StdEncoding.DecodeString(parts[2])
	must(err)
	require(len(data) == 33 && data[0] == 4, "the key of the witness")
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), data...))
	hash := binary.BigEndian.Uint32(sum[:])
	require(fmt.Sprintf("%08x", hash) == parts[1], "the id of the witness's key")
	return witness{parts[0], hash, ed25519.PublicKey(data[1:])}
}

// The path of a tile as tlog-tiles spells it: without its height, and leaves are entries.
func tilePath(tile tlog.Tile) string {
	path := strings.Replace(tile.Path(), "tile/8/", "/tile/", 1)
	return strings.Replace(path, "/data/", "/entries/", 1)
}

// The tiles of a tree, as the library asks for them.
type served map[string][]byte

func (s served) Height() int { return height }

func (s served) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	list := [][]byte{}
	for _, tile := range tiles {
		path := tilePath(tile)
		if s[path] == nil {
			s[path] = get(path)
		}
		list = append(list, s[path])
	}
	return list, nil
}

func (s served) SaveTiles([]tlog.Tile, [][]byte) {}

// The root over leaves, by the library's own hashes of a tree that grows.
func rootOf(leaves [][]byte) tlog.Hash {
	hashes := []tlog.Hash{}
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		list := []tlog.Hash{}
		for _, index := range indexes {
			list = append(list, hashes[index])
		}
		return list, nil
	})
	for n, leaf := range leaves {
		more, err := tlog.StoredHashes(int64(n), leaf, reader)
		must(err)
		hashes = append(hashes, more...)
	}
	root, err := tlog.TreeHash(int64(len(leaves)), reader)
	must(err)
	return root
}

func bundle(n int64, count int) [][]byte {
	entries := get(tilePath(tlog.Tile{H: height, L: -1, N: n, W: count}))
	list := [][]byte{}
	for len(entries) > 0 {
		size := int(binary.BigEndian.Uint16(entries))
		list = append(list, entries[2:2+size])
		entries = entries[2+size:]
	}
	require(len(list) == count, fmt.Sprintf("bundle %d: %d leaves", n, len(list)))
	return list
}

// A tlog-proof@v1: the leaf in `extra`, its index, the path, and the checkpoint behind a blank line.
func checkProof(text string, index int64, leaf []byte, verifiers note.Verifiers) {
	parts := strings.SplitN(text, "\n\n", 2)
	lines := strings.Split(parts[0], "\n")
	require(lines[0] == "c2sp.org/tlog-proof@v1", "the first line of a proof")
	require(lines[1] == "extra "+base64.StdEncoding.EncodeToString(leaf), "extra of a proof")
	require(lines[2] == fmt.Sprintf("index %d", index), "index of a proof")
	path := tlog.RecordProof{}
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		must(err)
		path = append(path, hash)
	}
	size, root := open([]byte(parts[1]), verifiers)
	must(tlog.CheckRecord(path, size, root, index, tlog.RecordHash(leaf)))
}

func open(text []byte, verifiers note.Verifiers) (int64, tlog.Hash) {
	opened, err := note.Open(text, verifiers)
	must(err)
	require(len(opened.Sigs) == 2, "a checkpoint has the signatures of the log and the witness")
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(lines[2])
	must(err)
	return size, root
}

func main() {
	verifier, err := note.NewVerifier(os.Args[2])
	must(err)
	verifiers := note.VerifierList(verifier, parse(os.Args[4]))
	wanted, err := strconv.Atoi(os.Args[3])
	must(err)
	size, root := open(get("/checkpoint"), verifiers)

	leaves := [][]byte{}
	for n := int64(0); n*width < size; n++ {
		count := width
		if size-n*width < width {
			count = int(size - n*width)
		}
		leaves = append(leaves, bundle(n, count)...)
	}
	require(rootOf(leaves) == root, "the root of the checkpoint from its leaves")

	tiles := served{}
	reader := tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, tiles)
	for n := 0; n < wanted; n++ {
		index := rand.Int63n(size)
		path, err := tlog.ProveRecord(size, index, reader)
		must(err)
		must(tlog.CheckRecord(path, size, root, index, tlog.RecordHash(leaves[index])))
		old := 1 + rand.Int63n(size)
		tree, err := tlog.ProveTree(size, old, reader)
		must(err)
		must(tlog.CheckTree(tree, size, root, old, rootOf(leaves[:old])))
		if n%10 == 0 {
			checkProof(string(get(fmt.Sprintf("/proof/%d", index))), index, leaves[index], verifiers)
		}
	}
	fmt.Printf("%d leaves, %d proofs, %d tiles read\n", size, wanted, len(tiles))
}

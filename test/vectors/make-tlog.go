// Writes tlog.json: what Go's own library of transparency logs makes of trees, keys and notes.
//
//	apt-get install golang-go golang-golang-x-mod-dev
//	GO111MODULE=off GOPATH=/usr/share/gocode go run test/vectors/make-tlog.go test/vectors/notes.go > test/vectors/tlog.json
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

type object map[string]interface{}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func encode(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

func joined(path []tlog.Hash) string {
	list := []string{}
	for _, hash := range path {
		list = append(list, hash.String())
	}
	return strings.Join(list, " ")
}

// A tree whose leaves are all "-" but for some, so that it can be of any size.
type sparse struct {
	special []int64
	blank   []tlog.Hash
	made    map[[2]int64]tlog.Hash
}

func newSparse(special []int64) *sparse {
	blank := []tlog.Hash{tlog.RecordHash([]byte("-"))}
	for level := 1; level < 60; level++ {
		blank = append(blank, tlog.NodeHash(blank[level-1], blank[level-1]))
	}
	return &sparse{special, blank, map[[2]int64]tlog.Hash{}}
}

func (s *sparse) node(level int, n int64) tlog.Hash {
	isBlank := true
	for _, index := range s.special {
		if index>>uint(level) == n {
			isBlank = false
		}
	}
	if isBlank {
		return s.blank[level]
	}
	if level == 0 {
		return tlog.RecordHash([]byte(fmt.Sprintf("leaf %d", n)))
	}
	key := [2]int64{int64(level), n}
	if _, ok := s.made[key]; !ok {
		s.made[key] = tlog.NodeHash(s.node(level-1, 2*n), s.node(level-1, 2*n+1))
	}
	return s.made[key]
}

func (s *sparse) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := []tlog.Hash{}
	for _, index := range indexes {
		level, n := tlog.SplitStoredHashIndex(index)
		list = append(list, s.node(level, n))
	}
	return list, nil
}

// A tree whose leaf i is "leaf i".
type storage []tlog.Hash

func (s *storage) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := []tlog.Hash{}
	for _, index := range indexes {
		list = append(list, (*s)[index])
	}
	return list, nil
}

func grow(size int64) *storage {
	s := &storage{}
	for i := int64(0); i < size; i++ {
		hashes, err := tlog.StoredHashes(i, []byte(fmt.Sprintf("leaf %d", i)), s)
		must(err)
		*s = append(*s, hashes...)
	}
	return s
}

func root(size int64, r tlog.HashReader) tlog.Hash {
	if size == 0 {
		return tlog.Hash(sha256.Sum256(nil)) // this version of the library makes it zeros
	}
	hash, err := tlog.TreeHash(size, r)
	must(err)
	return hash
}

func record(size, index int64, leaf tlog.Hash, r tlog.HashReader) []tlog.Hash {
	path, err := tlog.ProveRecord(size, index, r)
	must(err)
	must(tlog.CheckRecord(path, size, root(size, r), index, leaf))
	return path
}

func tree(size, old int64, r tlog.HashReader) []tlog.Hash {
	path, err := tlog.ProveTree(size, old, r)
	must(err)
	must(tlog.CheckTree(path, size, root(size, r), old, root(old, r)))
	return path
}

func leafOf(r tlog.HashReader, index int64) tlog.Hash {
	hashes, err := r.ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
	must(err)
	return hashes[0]
}

func trees() object {
	s := grow(65_537)
	roots, all := object{}, object{}
	for size := int64(0); size <= 17; size++ {
		roots[fmt.Sprint(size)] = root(size, s).String()
	}
	for _, size := range []int64{255, 256, 257, 300, 65_535, 65_536, 65_537} {
		roots[fmt.Sprint(size)] = root(size, s).String()
	}
	for size := int64(1); size <= 17; size++ {
		sum := sha256.New()
		for index := int64(0); index < size; index++ {
			for _, hash := range record(size, index, leafOf(s, index), s) {
				sum.Write(hash[:])
			}
		}
		for old := int64(1); old < size; old++ {
			for _, hash := range tree(size, old, s) {
				sum.Write(hash[:])
			}
		}
		all[fmt.Sprint(size)] = encode(sum.Sum(nil))
	}
	inclusions, consistencies := []object{}, []object{}
	for _, size := range []int64{1, 2, 3, 7, 257, 65_537} {
		for _, index := range []int64{0, 1, 2, 255, 256, 65_280, 65_535, 65_536} {
			if index < size && (index < 2 || index > size-3 || size > 256) {
				path := joined(record(size, index, leafOf(s, index), s))
				inclusions = append(inclusions, object{"size": size, "index": index, "path": path})
			}
			if old := index + 1; old < size && (old < 3 || old > size-3 || size > 256) {
				consistencies = append(consistencies, object{"old": old, "size": size, "path": joined(tree(size, old, s))})
			}
		}
	}
	return object{"roots": roots, "all_paths": all, "inclusions": inclusions, "consistencies": consistencies}
}

func sparseTrees() []object {
	list := []object{}
	for _, size := range []int64{1<<31 + 1, 1<<32 + 257, 1<<52 + 1<<31 + 3} {
		special := []int64{0, 255, 256, size / 3, size / 2, size - 2, size - 1}
		s := newSparse(special)
		inclusions, consistencies := []object{}, []object{}
		for _, index := range []int64{0, size / 3, size - 1} {
			path := joined(record(size, index, s.node(0, index), s))
			inclusions = append(inclusions, object{"index": index, "path": path})
		}
		for _, old := range []int64{1, size / 2, size - 1} {
			consistencies = append(consistencies, object{"old": old, "root": root(old, s).String(), "path": joined(tree(size, old, s))})
		}
		list = append(list, object{"size": size, "special": special, "root": root(size, s).String(),
			"inclusions": inclusions, "consistencies": consistencies})
	}
	return list
}

func tiles() []object {
	s := grow(65_793)
	list := []object{}
	add := func(tile tlog.Tile, data []byte) {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		entry := object{"level": tile.L, "n": tile.N, "width": tile.W, "path": strings.Replace(path, "/data/", "/entries/", 1)}
		if data != nil {
			sum := sha256.Sum256(data)
			entry["sha256"] = encode(sum[:])
		}
		list = append(list, entry)
	}
	for _, tile := range tlog.NewTiles(8, 65_535, 65_793) {
		data, err := tlog.ReadTileData(tile, s)
		must(err)
		add(tile, data)
	}
	for _, n := range []int64{999, 1_000, 1 << 45} {
		add(tlog.Tile{H: 8, L: 0, N: n, W: 256}, nil)
		add(tlog.Tile{H: 8, L: 5, N: n, W: 255}, nil)
		add(tlog.Tile{H: 8, L: -1, N: n, W: 1}, nil)
	}
	return list
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	must(out.Encode(object{
		"about":       "A path is hashes in base64, a space between. Leaf i of a tree is the text `leaf i`; of a sparse tree only the special ones, the others are `-`. all_paths: SHA-256 over the hashes of all inclusion paths, then of all consistency paths from 1 on. All keys are made for these tests.",
		"computed_by": "test/vectors/make-tlog.go and notes.go with golang.org/x/mod/sumdb: tlog and note",
		"trees":       trees(), "sparse": sparseTrees(), "tiles": tiles(), "notes": notes(),
	}))
}

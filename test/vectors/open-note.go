// Opens a note with Go's own library, and a verifier for cosignatures next to it: a program of another hand.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run test/vectors/open-note.go <vkey of the log> <vkey of a witness> < note
//
// Prints the names of the keys whose lines verify; ends with status 1 when a line of one of them does not.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }

func (c cosigner) Verify(text, signature []byte) bool {
	if len(signature) != 72 {
		return false
	}
	time := binary.BigEndian.Uint64(signature)
	signed := append([]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", time)), text...)
	return ed25519.Verify(c.key, signed, signature[8:])
}

func fail(what interface{}) {
	fmt.Fprintln(os.Stderr, what)
	os.Exit(1)
}

func parse(vkey string) cosigner {
	parts := strings.SplitN(vkey, "+", 3)
	data, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(data) != 33 || data[0] != 4 {
		fail("not the key of a witness")
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), data...))
	hash := binary.BigEndian.Uint32(sum[:])
	if fmt.Sprintf("%08x", hash) != parts[1] {
		fail("the id is not that of the key")
	}
	return cosigner{parts[0], hash, ed25519.PublicKey(data[1:])}
}

func main() {
	log, err := note.NewVerifier(os.Args[1])
	if err != nil {
		fail(err)
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	opened, err := note.Open(text, note.VerifierList(log, parse(os.Args[2])))
	if err != nil {
		fail(err)
	}
	for _, signature := range opened.Sigs {
		fmt.Println(signature.Name)
	}
}

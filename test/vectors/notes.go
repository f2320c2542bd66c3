package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

func seedOf(name string) []byte {
	seed := sha256.Sum256([]byte(name))
	return seed[:]
}

type reader []byte

func (r reader) Read(into []byte) (int, error) { return copy(into, r), nil }

func keyId(name string, data []byte) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"), data...))
	return binary.BigEndian.Uint32(sum[:])
}

// A witness: note.Verifier of signature type 4, which the library does not know.
type witness struct {
	name    string
	private ed25519.PrivateKey
}

func (w witness) data() []byte    { return append([]byte{4}, w.private.Public().(ed25519.PublicKey)...) }
func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return keyId(w.name, w.data()) }
func (w witness) vkey() string {
	return fmt.Sprintf("%s+%08x+%s", w.name, w.KeyHash(), encode(w.data()))
}

func cosigned(time uint64, text []byte) []byte {
	return append([]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", time)), text...)
}

func (w witness) Verify(text, signature []byte) bool {
	if len(signature) != 72 {
		return false
	}
	time := binary.BigEndian.Uint64(signature)
	return ed25519.Verify(w.private.Public().(ed25519.PublicKey), cosigned(time, text), signature[8:])
}

func (w witness) line(time uint64, text string) string {
	data := make([]byte, 12)
	binary.BigEndian.PutUint32(data, w.KeyHash())
	binary.BigEndian.PutUint64(data[4:], time)
	data = append(data, ed25519.Sign(w.private, cosigned(time, []byte(text)))...)
	return fmt.Sprintf("— %s %s\n", w.name, encode(data))
}

func notes() object {
	const origin = "registry.example/log"
	const time = 1_795_280_400
	s := grow(300)
	text := fmt.Sprintf("%s\n300\n%s\n", origin, root(300, s))
	keys := []object{}
	signers := map[string]note.Signer{}
	vkeys := map[string]string{}
	for _, name := range []string{origin, origin + "#next", "other.example/log"} {
		skey, vkey, err := note.GenerateKey(reader(seedOf(name)), strings.TrimSuffix(name, "#next"))
		must(err)
		signers[name], err = note.NewSigner(skey)
		must(err)
		vkeys[name] = vkey
		keys = append(keys, object{"skey": skey, "vkey": vkey})
	}
	witnesses := []witness{}
	for _, name := range []string{"witness.example/w1", "witness.example/w2", "w3.example"} {
		w := witness{name, ed25519.NewKeyFromSeed(seedOf(name))}
		witnesses = append(witnesses, w)
		keys = append(keys, object{"vkey": w.vkey()})
	}
	sign := func(text string, names ...string) string {
		list := []note.Signer{}
		for _, name := range names {
			list = append(list, signers[name])
		}
		signed, err := note.Sign(&note.Note{Text: text}, list...)
		must(err)
		return string(signed)
	}
	w1, w2, w3 := witnesses[0], witnesses[1], witnesses[2]
	signed := sign(text, origin)
	line := strings.TrimPrefix(signed, text+"\n")
	names := func(line, name string) string { return strings.Replace(line, origin, name, 1) }
	changed := func(line string, at int) string {
		fields := strings.Fields(line)
		data, err := base64.StdEncoding.DecodeString(fields[2])
		must(err)
		data[at] ^= 1
		return fmt.Sprintf("— %s %s\n", fields[1], encode(data))
	}
	changedId := changed(line, 0)
	cases := []object{}
	policy := fmt.Sprintf("log %s\nlog %s\nwitness one %s\nwitness two %s https://w2.example/\nwitness three %s\n"+
		"group pair any two three\ngroup most 2 one pair\n", vkeys[origin], vkeys[origin+"#next"], w1.vkey(), w2.vkey(), w3.vkey())
	verifiers := []note.Verifier{w1, w2, w3}
	for _, vkey := range []string{vkeys[origin], vkeys[origin+"#next"]} {
		verifier, err := note.NewVerifier(vkey)
		must(err)
		verifiers = append(verifiers, verifier)
	}
	known := note.VerifierList(verifiers...)
	add := func(name, text, quorum string, reason interface{}, seen object) {
		_, err := note.Open([]byte(text), known)
		// What the library says of signatures; of checkpoints, witnesses and times it knows nothing.
		opens := err == nil
		if (reason == nil || reason == "too_few_witnesses") && !opens || reason == "bad_signature" && opens && !strings.Contains(name, "twice") && !strings.Contains(name, "time 0") {
			panic(name)
		}
		cases = append(cases, object{"name": name, "note": text, "quorum": quorum, "reason": reason, "witnesses": seen})
	}
	none := object{}
	c1, c2, c3 := w1.line(time, text), w2.line(time+7, text), w3.line(time+9, text)
	add("signed by the log", signed, "none", nil, none)
	add("signed by both of its keys", sign(text, origin, origin+"#next"), "none", nil, none)
	add("signed by its next key alone", sign(text, origin+"#next"), "none", nil, none)
	add("lines of unknown keys", sign(text, "other.example/log", origin)+"— third.example AAAAAAAA\n", "none", nil, none)
	add("a known name with another id", signed+changedId, "none", nil, none)
	add("the id of a known key under another name", signed+names(line, "other.example"), "none", nil, none)
	add("extension lines", sign(text+"extension\n", origin), "none", nil, none)
	add("a size of 0", sign(fmt.Sprintf("%s\n0\n%s\n", origin, root(0, s)), origin), "none", nil, none)
	add("a size of 2^53 - 1", sign(strings.Replace(text, "\n300\n", "\n9007199254740991\n", 1), origin), "none", nil, none)
	add("one witness", signed+c1, "one", nil, object{"one": time})
	add("all witnesses, a quorum of two", signed+c3+c1+c2, "most", nil, object{"one": time, "two": time + 7, "three": time + 9})
	add("a witness twice: its newest time", signed+w1.line(time+60, text)+c1, "one", nil, object{"one": time + 60})
	add("no witness", signed, "one", "too_few_witnesses", none)
	add("a witness for another head", signed+w1.line(time, strings.Replace(text, "300", "299", 1)), "none", "bad_signature", none)
	add("a cosignature with another time", signed+changed(c1, 11), "none", "bad_signature", none)
	add("a cosignature with a changed bit", signed+changed(c1, 20), "none", "bad_signature", none)
	add("a cosignature at time 0", signed+w1.line(0, text), "none", "bad_signature", none)
	add("a cosignature cut short", signed+fmt.Sprintf("— %s %s\n", w1.name, encode(append(binary.BigEndian.AppendUint32(nil, w1.KeyHash()), 1, 2, 3))), "none", "bad_signature", none)
	add("a good cosignature and a bad one, twice the witness", signed+c1+changed(c1, 20), "none", "bad_signature", none)
	add("another size", strings.Replace(signed, "\n300\n", "\n301\n", 1), "none", "bad_signature", none)
	add("a changed bit of the signature", text+"\n"+changed(line, 40), "none", "bad_signature", none)
	add("a good line and a bad one, twice the key", signed+changed(line, 40), "none", "bad_signature", none)
	add("a signature of a longer key id only", text+"\n"+fmt.Sprintf("— %s %s\n", origin, encode(append(binary.BigEndian.AppendUint32(nil, signers[origin].KeyHash()), 7))), "none", "bad_signature", none)
	add("another log", sign(strings.Replace(text, origin, "other.example/log", 1), "other.example/log"), "none", "unknown_log", none)
	add("signed by another log", sign(text, "other.example/log"), "none", "unsigned", none)
	add("signed by a witness alone", text+"\n"+c1, "none", "unsigned", none)
	for _, bad := range [][2]string{
		{"no signature line", text + "\n"},
		{"no blank line", text},
		{"no newline at the end", strings.TrimSuffix(signed, "\n")},
		{"a carriage return", strings.Replace(signed, "\n", "\r\n", 1)},
		{"a tab", strings.Replace(signed, "300", "300\t", 1)},
		{"a hyphen instead of the dash", strings.Replace(signed, "—", "-", 1)},
		{"a name with a plus", names(signed[:len(text)], origin) + "\n" + names(line, "a+b")},
		{"a name with a space of Unicode", text + "\n" + names(line, "a\u00a0b")},
		{"base64 without padding", text + "\n" + strings.Replace(line, "=", "", 1)},
		{"a signature of no bytes", text + "\n— " + origin + " AAAAAA==\n"},
		{"more than 100 lines", signed + strings.Repeat("— other.example AAAAAAAA\n", 100)},
		{"something behind the lines", signed + "end\n"},
	} {
		if _, err := note.Open([]byte(bad[1]), known); err == nil {
			panic(bad[0])
		}
		cases = append(cases, object{"name": bad[0], "note": bad[1], "quorum": "none", "reason": "malformed", "witnesses": none})
	}
	// Well signed, but no checkpoints.
	for _, bad := range [][2]string{
		{"a size with a zero before it", strings.Replace(text, "\n300\n", "\n0300\n", 1)},
		{"a negative size", strings.Replace(text, "\n300\n", "\n-1\n", 1)},
		{"a size of 2^53", strings.Replace(text, "\n300\n", "\n9007199254740992\n", 1)},
		{"no size", strings.Replace(text, "\n300\n", "\n\n", 1)},
		{"no root", origin + "\n300\n"},
		{"a root of 31 bytes", origin + "\n300\n" + encode(make([]byte, 31)) + "\n"},
		{"no origin", strings.Replace(text, origin, "", 1)},
		{"an empty extension line", text + "\nextension\n"},
	} {
		cases = append(cases, object{"name": bad[0], "note": sign(bad[1], origin), "quorum": "none", "reason": "malformed", "witnesses": none})
	}
	return object{"keys": keys, "policy": policy, "text": text, "signed": signed, "cases": cases,
		"bad_keys": []string{
			"", origin, strings.Replace(vkeys[origin], "+", "+0", 1), strings.Replace(vkeys[origin], "log+", "log2+", 1),
			strings.ToUpper(vkeys[origin]), vkeys[origin] + "=", vkeys[origin] + "\n", strings.Replace(w1.vkey(), "/w1+", "/w2+", 1),
			fmt.Sprintf("a+%08x+%s", keyId("a", make([]byte, 33)), encode(make([]byte, 33))),
			fmt.Sprintf("a+%08x+%s", keyId("a", append([]byte{1}, make([]byte, 31)...)), encode(append([]byte{1}, make([]byte, 31)...))),
			fmt.Sprintf("a b+%08x+%s", keyId("a b", append([]byte{1}, make([]byte, 32)...)), encode(append([]byte{1}, make([]byte, 32)...))),
		}}
}

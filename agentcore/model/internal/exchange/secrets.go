package exchange

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
)

// minSecret is how long a text must be to be worth hiding: replacing shorter
// ones would only garble messages.
const minSecret = 6

// scrub takes secrets out of an error: some servers quote the key they refuse,
// and errors of transports quote addresses.
func (x Exchange) scrub(e *model.Error) *model.Error {
	e.Message = x.without(e.Message)
	e.Type = x.without(e.Type)
	e.RequestID = x.without(e.RequestID)
	if e.Err != nil {
		if text := e.Err.Error(); x.without(text) != text {
			e.Err = errors.New(x.without(text))
		}
	}
	return e
}

func (x Exchange) without(text string) string {
	for _, secret := range x.Secrets {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

// Secrets gives the texts that must not be in an error: the key, a password in
// the address, and the values of extra headers.
func Secrets(key string, base *url.URL, headers http.Header) []string {
	secrets := []string{key}
	if password, ok := base.User.Password(); ok {
		secrets = append(secrets, password)
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, value := range headers[name] {
			secrets = append(secrets, value)
			if _, token, ok := strings.Cut(value, " "); ok { // Bearer …
				secrets = append(secrets, token)
			}
		}
	}
	return secrets
}

// NewHTTPClient is the client of adapters that got none. It follows no redirect:
// a key in a header of its own would go along.
func NewHTTPClient() *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = t.Clone()
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

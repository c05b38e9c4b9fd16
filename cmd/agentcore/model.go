package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/anthropic"
	"github.com/stophook/stophook/agentcore/model/openai"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/internal/nearest"
)

// Where keys, addresses and the model's name are looked for. Keys come from the
// environment only: a flag would show them to every process of the machine (RT-24).
const (
	envModel        = "AGENTCORE_MODEL"
	envAnthropicKey = "ANTHROPIC_API_KEY"
	envAnthropicURL = "ANTHROPIC_BASE_URL"
	envOpenAIKey    = "OPENAI_API_KEY"
	envOpenAIURL    = "OPENAI_BASE_URL"
)

// scriptedName is what a session that was played from a file says of its model.
const scriptedName = "scripted"

// secretVars are the variables that no tool and no hook sees.
func secretVars() []string { return []string{envAnthropicKey, envOpenAIKey} }

// chosen is a model, and its name as people write it and as the API knows it.
type chosen struct {
	model     model.Model
	name, api string
}

// provider is an API that --model can name.
type provider struct {
	name, key, url string // the variables that hold its key and its address
	new            func(key, url, name string) (model.Model, error)
}

func providers() []provider {
	return []provider{
		{"anthropic", envAnthropicKey, envAnthropicURL, func(key, url, name string) (model.Model, error) {
			return anthropic.New(anthropic.Options{APIKey: key, BaseURL: url, Model: name})
		}},
		{"openai", envOpenAIKey, envOpenAIURL, func(key, url, name string) (model.Model, error) {
			return openai.New(openai.Options{APIKey: key, BaseURL: url, Model: name})
		}},
		{"openai-chat", envOpenAIKey, envOpenAIURL, func(key, url, name string) (model.Model, error) {
			return openai.New(openai.Options{API: openai.Chat, APIKey: key, BaseURL: url, Model: name})
		}},
	}
}

func providerNames() (names []string) {
	for _, p := range providers() {
		names = append(names, p.name)
	}
	return names
}

func modelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "the model, as `PROVIDER/NAME`; providers: " + strings.Join(providerNames(), ", "), DefaultText: "$" + envModel},
		&cli.StringFlag{Name: "scripted", Usage: "play the answers of `FILE` instead of asking a model"},
	}
}

// chooseModel reads the flags. saved is what a resumed session ran with.
func (p *program) chooseModel(c *cli.Context, saved string) (chosen, error) {
	if file := c.String("scripted"); file != "" {
		if c.IsSet("model") {
			return chosen{}, errors.New("--scripted plays a file and --model asks a model: choose one of them")
		}
		script, err := scripted.Load(file)
		if err != nil {
			return chosen{}, err
		}
		return chosen{model: script, name: scriptedName}, nil
	}
	if saved == scriptedName {
		saved = "" // its script is no part of the session
	}
	name := cmp.Or(c.String("model"), saved, p.getenv(envModel))
	if name == "" {
		return chosen{}, fmt.Errorf("no model is chosen: name one with --model PROVIDER/NAME or in %s (providers: %s), or play a file with --scripted FILE",
			envModel, strings.Join(providerNames(), ", "))
	}
	return p.connect(name)
}

// connect makes the adapter of a model that is named PROVIDER/NAME.
func (p *program) connect(name string) (chosen, error) {
	known := strings.Join(providerNames(), ", ")
	api, id, ok := strings.Cut(name, "/")
	if !ok || id == "" || api == "" {
		return chosen{}, fmt.Errorf("model %q: write PROVIDER/NAME, as in anthropic/%s (providers: %s)", name, cmp.Or(strings.Trim(name, "/"), "NAME"), known)
	}
	for _, by := range providers() {
		if by.name != api {
			continue
		}
		key, url := p.getenv(by.key), p.getenv(by.url)
		if key == "" && url == "" { // an address of one's own may want no key
			return chosen{}, fmt.Errorf("model %s: %s is not set; the key is read from the environment only (%s names another address)", name, by.key, by.url)
		}
		m, err := by.new(key, url, id)
		if err != nil {
			return chosen{}, err
		}
		return chosen{model: model.Retry(m, model.RetryOptions{}), name: name, api: id}, nil
	}
	hint := ""
	if meant := nearest.Word(api, providerNames()); meant != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", meant)
	}
	return chosen{}, fmt.Errorf("model %s: there is no provider %q%s; there are %s", name, api, hint, known)
}

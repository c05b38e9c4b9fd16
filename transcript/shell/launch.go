package shell

// launches tells whether a program detaches what it starts, so that it returns
// while the work goes on.
func launches(l layer) Kind {
	args := l.args()
	switch l.name {
	case "setsid":
		// Without --fork it forks only as a process group leader, which a child
		// of a script is not.
		if p := parseArgs(args, optSpec{}); p.has("f", "fork") && len(p.rest) > 0 {
			return KindSetsid
		}
	case "sudo":
		p := parseArgs(args, optSpec{short: "ugphCrtTUDRa", long: "user group prompt host close-from role type command-timeout other-user chdir chroot auth-type"})
		if p.has("b", "background") && len(p.rest) > 0 {
			return KindSudo
		}
	case "ssh":
		p := parseArgs(args, optSpec{short: "BbcDEeFIiJLlmOopQRSWw"})
		if p.has("f") && len(p.rest) > 0 {
			return KindSSH
		}
	case "tmux":
		return tmux(args)
	case "screen":
		p := parseArgs(args, optSpec{short: "cehpsStTX"})
		if p.has("d") && p.has("m") {
			return KindScreen
		}
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose":
		return container(l)
	case "systemd-run":
		if p := systemdRunArgs(args); len(p.rest) > 0 && !systemdAttached(p) {
			return KindSystemdRun
		}
	case "at":
		p := parseArgs(args, optSpec{short: "fqt"})
		if len(args) > 0 && !p.has("l", "r", "d", "c", "V") {
			return KindAt
		}
	case "batch":
		return KindAt
	case "daemonize":
		if len(args) > 0 {
			return KindDaemonize
		}
	case "start-stop-daemon":
		p := parseArgs(args, optSpec{short: "xpungcrdNPIkmaRs", long: "exec pidfile ppid user name group startas chuid chroot chdir nicelevel procsched iosched umask signal retry"})
		if p.has("background", "b") && !p.has("stop", "K", "status", "T") {
			return KindStartStopDaemon
		}
	case "pm2":
		p := parseArgs(args, optSpec{permute: true})
		if len(p.rest) > 0 && p.rest[0].text == "start" && !p.has("no-daemon", "help") {
			return KindPM2
		}
	}
	return ""
}

// tmux new-session -d, in any of the commands of one line (tmux a \; b).
func tmux(args []word) Kind {
	rest := parseArgs(args, optSpec{short: "cfLST"}).rest
	for len(rest) > 0 {
		end := 0
		for end < len(rest) && rest[end].text != ";" {
			end++
		}
		if end > 0 {
			switch rest[0].text {
			case "new", "new-session":
				if parseArgs(rest[1:end], optSpec{short: "ceFfnstxy"}).has("d") {
					return KindTmux
				}
			}
		}
		rest = rest[min(end+1, len(rest)):]
	}
	return ""
}

const (
	dockerGlobals = "D debug tls tlsverify version help"
	dockerRun     = "detach init interactive tty privileged rm read-only publish-all no-healthcheck oom-kill-disable " +
		"quiet sig-proxy disable-content-trust help use-api-socket replace rmi no-hosts env-host"
	composeGlobals = "all-resources compatibility dry-run verbose help version no-ansi skip-hostname-check"
)

// container is run, exec and compose up with -d. The options end at the image:
// docker run IMAGE ls -d is a foreground run.
func container(l layer) Kind {
	var rest []word
	if l.name == "docker-compose" || l.name == "podman-compose" {
		return compose(l.args())
	}
	rest = parseArgs(l.args(), optSpec{short: "cHl", bools: dockerGlobals}).rest
	if len(rest) > 0 && rest[0].text == "container" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return ""
	}
	switch rest[0].text {
	case "run":
		return detached(parseArgs(rest[1:], optSpec{short: "acehlmpuvw", bools: dockerRun}))
	case "exec":
		return detached(parseArgs(rest[1:], optSpec{short: "euw", bools: "detach interactive privileged tty help latest"}))
	case "compose":
		return compose(rest[1:])
	}
	return ""
}

func compose(args []word) Kind {
	rest := parseArgs(args, optSpec{short: "fpH", bools: composeGlobals}).rest
	if len(rest) == 0 {
		return ""
	}
	switch rest[0].text {
	case "up":
		p := parseArgs(rest[1:], optSpec{short: "t", permute: true})
		if p.has("wait") {
			return KindContainer
		}
		return detached(p)
	case "run", "exec":
		return detached(parseArgs(rest[1:], optSpec{short: "epuvwl", long: "entrypoint env name publish user volume workdir label index env-from-file cap-add cap-drop pull"}))
	}
	return ""
}

func detached(p parsedArgs) Kind {
	if v, ok := p.value("detach"); ok && (v.text == "false" || v.text == "0") {
		return ""
	}
	if p.has("d", "detach") && !p.has("help") {
		return KindContainer
	}
	return ""
}

func systemdRunArgs(args []word) parsedArgs {
	return parseArgs(args, optSpec{
		short: "puEHMC",
		bools: "user system scope wait pipe pty pty-late shell collect quiet remain-after-exit send-sighup no-block no-ask-password " +
			"no-pager same-dir help version ignore-failure slice-inherit expand-environment verbose",
	})
}

// systemdAttached: the call returns when the work has ended.
func systemdAttached(p parsedArgs) bool {
	return p.has("wait", "scope", "pipe", "P", "pty", "t", "pty-late", "T", "shell", "S", "help", "h", "version")
}

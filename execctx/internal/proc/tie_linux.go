package proc

import "syscall"

func tie(sys *syscall.SysProcAttr) { sys.Pdeathsig = syscall.SIGTERM }

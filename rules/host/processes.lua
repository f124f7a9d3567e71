-- Whose number is whose: what a container counts as pid 77 is another number on its node. No failure, only names; inner_pid is the number
-- in the innermost space (analyzer/verdict/spaces.c joins both).
-- Sources: kernel fs/proc/array.c, task_state (read on the node, the first number is the node's); kernel/cgroup/cgroup.c, proc_cgroup_show.
signature {
  id      = "host.pid_space",
  stream  = { "host", "app" },
  needles = { "NSpid:" },
  pattern = [[^(?:\S*/?proc/\d+/(?:task/\d+/)?status:)?NSpid:\s+(?<pid>\d+)(?:\s+\d+)*?\s+(?<inner_pid>\d+)\s*$]],
  fields  = { pid = "pid", inner_pid = "int" },
  match   = { "NSpid:\t41236\t78", "/proc/41236/status:NSpid:\t41236\t78", "NSpid:\t41236\t120\t7" },
  ignore  = { "NSpid:\t41236", "NStgid:\t41236\t78" },
}
signature {
  id      = "host.pid_cgroup",
  stream  = { "host", "app" },
  needles = { "/cgroup:" },
  pattern = [[^\S*/?proc/(?<pid>\d+)/cgroup:(?:0:|\d+:(?:name=systemd|[\w,]*(?:memory|pids|devices)[\w,]*)):(?<cgroup>/\S+)$]],
  fields  = { pid = "pid", cgroup = "cgroup" },
  match   = { "/proc/41236/cgroup:0::/kubepods.slice/kubepods-pod5b0e7c12_3d44_4a6f_9c11_0d8e2f7a6b90.slice/x.scope", "/proc/77/cgroup:4:memory:/slurm/uid_1000/job_88/step_0/task_1" },
  ignore  = { "/proc/41236/cgroup:0::/", "/proc/self/cgroup:0::/user.slice" },
}

-- What a time service says of its host's clock against true time, with its direction: where this stands beside logs of that host, their
-- times are moved (analyzer/verdict/skew.c). What a wrong clock does to a job is in rules/host/clock.lua.
-- Source: chrony, client.c, process_cmd_tracking; ntpq and timedatectl say less, and are not read.
signature {
  id      = "host.clock_fast",
  meets   = "ahead",
  stream  = { "host", "app" },
  needles = { "seconds fast of NTP time" },
  pattern = [[^System time\s*: (?<seconds>\d+\.\d+) seconds fast of NTP time]],
  fields  = { seconds = "float" },
  match   = { "System time     : 7200.000123456 seconds fast of NTP time" },
  ignore  = { "System time     : 0.000012 seconds slow of NTP time" },
}
signature {
  id      = "host.clock_slow",
  meets   = "behind",
  stream  = { "host", "app" },
  needles = { "seconds slow of NTP time" },
  pattern = [[^System time\s*: (?<seconds>\d+\.\d+) seconds slow of NTP time]],
  fields  = { seconds = "float" },
  match   = { "System time     : 0.000012345 seconds slow of NTP time" },
  ignore  = { "System time     : 7200.0 seconds fast of NTP time" },
}

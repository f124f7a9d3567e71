-- What a time service says of its host's clock against true time, with its direction: where this stands beside logs of that host, their
-- times are moved (analyzer/verdict/skew.c). What a wrong clock does to a job is in rules/host/clock.lua.
-- chronyc sources counts as chronyc tracking does: + is ahead. ntpq and systemd count the other way: + is what the clock lacks.
-- Sources: chrony client.c, process_cmd_tracking and process_cmd_sources; ntp ntpq-subs.c; systemd timedatectl.c, print_ntp_status_info.
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
signature {
  id      = "host.timesync_behind",
  meets   = "behind",
  stream  = { "host", "app" },
  needles = { " Offset: +" },
  pattern = [[^\s+Offset: \+(?:(?<hours>\d+)h ?)?(?:(?<minutes>\d+)min ?)?(?:(?<seconds>\d+(?:\.\d+)?)s)?(?:(?<millis>\d+(?:\.\d+)?)ms)?(?:\d+(?:\.\d+)?us)?$]],
  fields  = { hours = "int", minutes = "int", seconds = "float", millis = "float" },
  match   = { "       Offset: +1h 2min 3.5s", "       Offset: +1.237ms" },
  ignore  = { "       Offset: -1.237ms", "       Offset: +14 rows" },
}
signature {
  id      = "host.timesync_ahead",
  meets   = "ahead",
  stream  = { "host", "app" },
  needles = { " Offset: -" },
  pattern = [[^\s+Offset: -(?:(?<hours>\d+)h ?)?(?:(?<minutes>\d+)min ?)?(?:(?<seconds>\d+(?:\.\d+)?)s)?(?:(?<millis>\d+(?:\.\d+)?)ms)?(?:\d+(?:\.\d+)?us)?$]],
  fields  = { hours = "int", minutes = "int", seconds = "float", millis = "float" },
  match   = { "       Offset: -4min 12s", "       Offset: -312us" },
  ignore  = { "       Offset: +312us", "       Offset: -14 rows" },
}
signature {
  id      = "host.ntpq_behind",
  meets   = "behind",
  stream  = { "host", "app" },
  needles = { " 377 " },
  pattern = [[^\*\S+\s+\S+\s+\d+\s+\w\s+\S+\s+\d+\s+377\s+[\d.]+\s+\+?(?<millis>\d+\.\d+)\s+[\d.]+\s*$]],
  fields  = { millis = "float" },
  match   = { "*10.20.0.1      .GPS.            1 u   33   64  377    0.212   412.309   0.031" },
  ignore  = { "*10.20.0.1      .GPS.            1 u   33   64  377    0.212   -412.309   0.031", "+10.20.0.2      10.20.0.1        2 u   33   64  377    0.212   412.309   0.031" },
}
signature {
  id      = "host.ntpq_ahead",
  meets   = "ahead",
  stream  = { "host", "app" },
  needles = { " 377 " },
  pattern = [[^\*\S+\s+\S+\s+\d+\s+\w\s+\S+\s+\d+\s+377\s+[\d.]+\s+-(?<millis>\d+\.\d+)\s+[\d.]+\s*$]],
  fields  = { millis = "float" },
  match   = { "*10.20.0.1      .GPS.            1 u   33   64  377    0.212   -412.309   0.031" },
  ignore  = { "*10.20.0.1      .GPS.            1 u   33   64  377    0.212   412.309   0.031", "+10.20.0.2      10.20.0.1        2 u   33   64  377    0.212   -412.309   0.031" },
}
signature {
  id      = "host.chrony_source_ahead",
  meets   = "ahead",
  stream  = { "host", "app" },
  needles = { "] +/- " },
  pattern = [[^\^\* \S+\s+\d+\s+\d+\s+\d+\s+\S+\s+\+(?:(?<seconds>\d+)s|(?<millis>\d+)ms|\d+[un]s)\[]],
  fields  = { seconds = "float", millis = "float" },
  match   = { "^* ntp1.example.net           2   6   377    23   +412s[ +412s] +/-   12ms", "^* 10.20.0.1  1  4  377  11  +38us[ +41us] +/-  220us" },
  ignore  = { "^* ntp1.example.net           2   6   377    23   -412s[ -412s] +/-   12ms", "^- 10.20.0.3  2  6  377  40  +2ms[ +2ms] +/- 31ms" },
}
signature {
  id      = "host.chrony_source_behind",
  meets   = "behind",
  stream  = { "host", "app" },
  needles = { "] +/- " },
  pattern = [[^\^\* \S+\s+\d+\s+\d+\s+\d+\s+\S+\s+-(?:(?<seconds>\d+)s|(?<millis>\d+)ms|\d+[un]s)\[]],
  fields  = { seconds = "float", millis = "float" },
  match   = { "^* ntp1.example.net           2   6   377    23   -412s[ -412s] +/-   12ms", "^* 10.20.0.1  1  4  377  11  -38us[ -41us] +/-  220us" },
  ignore  = { "^* ntp1.example.net           2   6   377    23   +412s[ +412s] +/-   12ms", "^- 10.20.0.3  2  6  377  40  -2ms[ -2ms] +/- 31ms" },
}

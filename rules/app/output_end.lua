-- How the job's output ends, where nothing that is known explains it. Words of failure in the very last lines, with no progress and no good end
-- behind them, are no proof of anything but one: that nobody may call the job healthy. The verdict drops this finding where any other failure was
-- found, and where another finding, were it a note, knows the same lines.
local STRONG = [[(?x)
  \b(?:ERROR|FATAL|CRITICAL|PANIC)\b
  | (?i:\b(?:fatal|panic|error|fatal\ error):)
  | \b[A-Z]\w*(?:Error|Exception)\b
  | (?i:\b(?:failed|failure|aborted|aborting|terminated|killed|refused|unreachable)\b)
  | (?i:\b(?:cannot|can't|could\ not|couldn't|unable\ to)\ )
  | (?i:\btimed[ -]out\b)
  | ^\[?[EF]\d{4}\ \d\d: | ^\[[\d-]+\ [\d:,.]+\ [EC]\ \d+\ 
  | (?i:\b(?:permission\ denied|not\ found)$)]]
-- what is tried again, done without, counted as none, or said at a level that is below
local SOFT = [[(?xi)
  \bretr(?:y|ies|ying)\b | \btry(?:ing)?\ again\b | \bwill\ try\b | \battempt\ \d | \bfall(?:ing|s)?\ ?back\b | \bfell\ back\b | \bignor(?:e|ed|ing)\b | \bskipp?(?:ed|ing)\b
  | \bdisabl(?:ed|ing)\b | \bdeprecat | \bwarn(?:ing)?\b | \bDEBUG\b | \bTRACE\b | \bINFO\b | \brecovered\b | \bharmless\b | \bnon-?fatal\b | \b[WID]\d{4}\ \d\d:\d\d:\d\d
  | \b(?:no|0|zero|without|any)\ (?:\w+\ )?(?:errors?|failures?|failed|exceptions?)\b | \b(?:errors?|failed|failures?|killed|aborted|exceptions?)\b\s*[:=]\s*(?:0\b|none\b|false\b|\[\])
  | \berror[_ -]?(?:rate|bars?|correct|code\ 0|feedback|compensat|handl) | \bif\ |\bin\ case\b | \bwould\b | \bmay\b | \bmight\b | \bshould\b]]
correlate {
  id    = "app.output_end",
  group = "job",
  uses  = { "app.output_end" },
  reach = { "app.good_end", "app.run_completed" },
  judge = function(case)
    local on = case.signals
    if #on["app.good_end"] + #on["app.run_completed"] > 0 then return {} end
    local bad = keep(on["app.output_end"], function(s)
      return match(s.fields.line, STRONG) ~= nil and match(s.fields.line, SOFT) == nil
    end)
    if #bad == 0 then return {} end
    local last = bad[#bad]
    return { { cause = "unknown", echo = true, severity = "error", confidence = "possible", scope = "job", ranks = {}, evidence = bad,
      confidence_why = "the output ends with words of failure that no rule knows; nothing shows that the job went on",
      summary = string.format("The job's output ends with: %s", last.fields.text or last.fields.line) } }
  end,
}

-- Trust score, algorithm 1.0, written from its specification in decimal arithmetic: a second opinion.
-- $1: rollup rows as a JSON array; $2: today. One row, or none for insufficient data.
with days as (
  select r.*,
         $2::date - r.day as a,
         r.completed + r.failed as n,
         power(2::numeric, ($2::date - r.day) / -30.0) as w,
         power(2::numeric, ($2::date - r.day) / -90.0) as v
  from jsonb_to_recordset($1::jsonb) as r (
    day date, events numeric, completed numeric, failed numeric,
    graded_count numeric, graded_milli numeric,
    latency_count numeric, latency_satisfied numeric, latency_tolerating numeric, latency_log_micro numeric,
    incidents_info numeric, incidents_warning numeric, incidents_error numeric, incidents_critical numeric,
    up_seconds numeric, down_seconds numeric)
  where $2::date - r.day between 0 and 89
),
finished as (
  select n, row_number() over (order by n) - 1 as index, count(*) over () as len
  from days where a >= 1 and n > 0
),
cap as (
  select least(500, greatest(10, 3 * coalesce((select n from finished where index = len / 2), 0))) as k
),
-- u is c * n: K on a capped day, n on any other.
capped as (
  select days.*, case when n = 0 then 1 else least(1, k / n) end as c, least(n, k) as u
  from days, cap
),
sums as (
  select sum(w * c * completed) as s,
         sum(w * c * (completed + failed)) as n,
         sum(w * up_seconds) as up,
         sum(w * (up_seconds + down_seconds)) as known,
         sum(w * c * graded_milli) / 1000 as grades,
         sum(w * c * graded_count) as graded,
         sum(v * (0.3 * incidents_info + incidents_warning + 3 * incidents_error + 10 * incidents_critical)) as points,
         sum(v * u) as exposure,
         min(a) filter (where incidents_critical > 0) as critical_age,
         sum(w * c * (latency_satisfied + latency_tolerating / 2)) as content,
         sum(w * c * latency_count) as answers,
         least(1, sum(u) / 100, count(*) filter (where n > 0) / 14.0) as gamma,
         sum(events) as events
  from capped
  having sum(completed + failed) >= 10
),
reliability as (
  select case when known > 0 then (1 - h) * wilson + h * 100 * up / known else wilson end as reliability
  from sums,
       lateral (select s / n as p, power(1.645, 2) as z2) as share,
       lateral (select 100 * (p + z2 / (2 * n) - 1.645 * sqrt(p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
                  as wilson) as bound,
       lateral (select 0.2 * least(1, known / 604800) as h) as uptime
),
safety as (
  select least(
           100 * power(2::numeric, -(100 * (points + 0.5) / (exposure + 50)) / 3),
           100 - 50 * power(2::numeric, critical_age / -30.0)
         ) as safety
  from sums
),
rates as (
  select u, completed / n as p, sum(u * completed / n) over () / sum(u) over () as mean
  from capped where n >= 5
),
swing as (
  select count(*) as d,
         100 * greatest(0, 1 - 2 * sqrt(greatest(0,
           sum(u * power(p - mean, 2)) / sum(u) - max(mean) * (1 - max(mean)) * (count(*) - 1) / sum(u)))) as c1
  from rates
),
logs as (
  select c * latency_count as u, latency_log_micro / 1000000 / latency_count as l
  from capped where latency_count >= 5
),
centred as (
  select u, l, sum(u * l) over () / sum(u) over () as mean from logs
),
jitter as (
  select count(*) as days, 100 * exp(-sqrt(sum(u * power(l - mean, 2)) / sum(u))) as c2 from centred
),
consistency as (
  select (d * coalesce(seen, 50) + 7 * 50) / (d + 7) as consistency
  from swing, jitter,
       lateral (select avg(part) as seen
                from (values (case when d >= 2 then c1 end), (case when days >= 2 then c2 end)) as parts (part)) as mean
),
raw as (
  select gamma, events, reliability, safety, consistency,
         100 * (grades + 10 * 0.5) / (graded + 10) as accuracy,
         100 * (content + 10 * 0.5) / (answers + 10) as speed
  from sums, reliability, safety, consistency
),
rounded as (
  select gamma, events, dimension,
         round(round(case when value > 50 then 50 + gamma * (value - 50) else value end, 9), 1) as value
  from raw, lateral (values ('reliability', reliability), ('accuracy', accuracy), ('safety', safety),
                            ('speed', speed), ('consistency', consistency)) as each (dimension, value)
),
answer as (
  select max(value) filter (where dimension = 'reliability') as reliability,
         max(value) filter (where dimension = 'accuracy') as accuracy,
         max(value) filter (where dimension = 'safety') as safety,
         max(value) filter (where dimension = 'speed') as speed,
         max(value) filter (where dimension = 'consistency') as consistency,
         max(events) as events_considered,
         max(gamma) as confidence,
         max(gamma) < 1 as provisional
  from rounded
  having count(*) > 0
)
select round((30 * reliability + 25 * accuracy + 25 * safety + 10 * speed + 10 * consistency) / 100, 1) as overall,
       answer.*
from answer

-- Trust score, algorithm 1.0: an independent implementation of its specification in decimal arithmetic.
-- A value less than 2e-11 below a half counts as a half, so that implementations in floating point agree on ties.
-- $1: rollup rows as a JSON array; $2: today; $3: open outages. One row, or none for insufficient data.
with days as (
  select r.*, $2::date - r.day as a, (90 - ($2::date - r.day))::numeric as w, r.completed + r.failed as n
  from jsonb_to_recordset($1::jsonb) as r (
    day date, source text, events numeric, completed numeric, failed numeric,
    graded_count numeric, graded_milli numeric,
    latency_count numeric, latency_satisfied numeric, latency_tolerating numeric,
    incidents_info numeric, incidents_warning numeric, incidents_error numeric, incidents_critical numeric,
    down_seconds numeric)
  where $2::date - r.day between 0 and 89
),
enough as (
  select sum(events) as events from days having sum(n) >= 10
),
-- 1. Evidence: what a row says of a dimension is good, and how much it says in all.
said as (
  select a, w, source, dimension, g, t - g as b, t
  from days, lateral (values
    ('reliability', completed, n),
    ('accuracy', graded_milli / 1000, graded_count),
    ('speed', latency_satisfied + latency_tolerating / 2, latency_count),
    ('safety', least(100, completed), least(100, completed) + least(100,
      10 * incidents_info + 30 * incidents_warning + 100 * incidents_error + 100 * incidents_critical)),
    ('consistency', case when n > 0 then 5 * greatest(0, 1 - power(2 * failed / n, 2)) else 0 end,
      case when n > 0 then 5 else 0 end)
  ) as each (dimension, g, t)
),
-- The readings of each dimension, and how much of a row each of them takes in.
ways as (
  select * from (values
    ('reliability', 'tasks', 50), ('reliability', 'days', 5), ('accuracy', 'tasks', 50), ('accuracy', 'days', 5),
    ('speed', 'tasks', 50), ('speed', 'days', 5), ('safety', 'tasks', null), ('consistency', 'days', null)
  ) as way (dimension, reading, l)
),
capped as (
  select s.*, reading, g * share as cg, b * share as cb
  from said s join ways using (dimension),
       lateral (select case when t > l then l / t else 1 end as share) as cap
),
-- 2. Sums, by source; what no row says is nothing.
sums as (
  select dimension, reading,
         coalesce(sum(w * cg) filter (where source = 'self'), 0) / 90 as sg,
         coalesce(sum(w * cb) filter (where source = 'self'), 0) / 90 as sb,
         coalesce(sum(w * cg) filter (where source = 'unproven'), 0) / 90 as ug,
         coalesce(sum(w * cb) filter (where source = 'unproven'), 0) / 90 as ub,
         coalesce(sum(w * cg) filter (where source = 'peer'), 0) / 90 as pg,
         coalesce(sum(w * cb) filter (where source = 'peer'), 0) / 90 as pb,
         coalesce(sum(w * cg) filter (where source = 'independent'), 0) / 90 as ig,
         coalesce(sum(w * cb) filter (where source = 'independent'), 0) / 90 as ib
  from capped group by dimension, reading
),
-- 3. Filling up, three times.
attested as (
  select dimension, reading, sg, sb, ug, ub,
         ig + greatest(0, 2 * (ig + 10) / (ig + ib + 10) - 1) * share * pg as jg, ib + share * pb as jb
  from sums,
       lateral (select greatest(0, 35 - ig - ib) as r) as room,
       lateral (select case when pg + pb > r then r / (pg + pb) else 1 end as share) as cap
),
reported as (
  select dimension, reading, sg, sb,
         jg + greatest(0, 2 * (jg + 10) / (jg + jb + 10) - 1) * share * ug as og, jb + share * ub as ob
  from attested,
       lateral (select greatest(0, 15 - jg - jb) as r) as room,
       lateral (select case when ug + ub > r then r / (ug + ub) else 1 end as share) as cap
),
evidence as (
  select dimension, reading,
         og + greatest(0, 2 * (og + 10) / (og + ob + 10) - 1) * share * sg as g, ob + share * sb as b
  from reported,
       lateral (select greatest(0, 15 - og - ob) as r) as room,
       lateral (select case when sg + sb > r then r / (sg + sb) else 1 end as share) as cap
),
-- The newest 70 tasks of others, for each of three sets of sources; before is how many are newer than a day.
sets as (
  select * from (values (array['independent']), (array['independent', 'peer']), (array['independent', 'peer', 'unproven']))
    as each (sources)
),
seen as (
  select dimension, sources, w, sum(cg) as g, sum(cb) as b, sum(cg + cb) as n,
         coalesce(sum(sum(cg + cb)) over (partition by dimension, sources order by a
           rows between unbounded preceding and 1 preceding), 0) as before
  from capped join sets on source = any (sources)
  where reading = 'days' and dimension <> 'consistency'
  group by dimension, sources, a, w having sum(cg + cb) > 0
),
fortnights as (
  select dimension, sum(w / 90 * weight * g) as g, sum(w / 90 * weight * b) as b
  from seen,
       lateral (select least(70, before) as p, least(70, before + n) as q) as place,
       lateral (select (q - p) * (140 - p - q) / (140 * n) as weight) as share
  group by dimension, sources
),
-- 4. and 5. Readings.
readings as (
  select dimension, round(100 * (g + 5) / (g + b + 10) + 2e-11, 9) as x from evidence
  union all
  select dimension, round(100 * (g + 10) / (g + b + 10) + 2e-11, 9) from fortnights
  union all
  select 'safety', round(100 - case source when 'self' then 25 else 50 end * w / 90 + 2e-11, 9)
  from days where incidents_critical > 0
),
uptime as (
  select 1 - coalesce(sum(w * least(86400, s)), 0) / (86400 * 4095) as up
  from (
    select w, greatest(coalesce(sum(down_seconds) filter (where source = 'self'), 0),
      coalesce(sum(down_seconds) filter (where source <> 'self'), 0)) as s
    from days where a > 0 or $3::integer = 0 group by w
    union all
    select 90, 86400 where $3::integer > 0
  ) as each_day
),
lowest as (
  select dimension, min(x) * case dimension when 'reliability' then (select up from uptime) else 1 end as x
  from readings group by dimension
),
-- 6. Confidence; safety has that of reliability.
dues as (
  select dimension, least(1, round(g / 50 + 2e-11, 9)) as gamma from evidence where reading = 'days'
  union all
  select 'safety', least(1, round(g / 50 + 2e-11, 9)) from evidence where reading = 'days' and dimension = 'reliability'
),
-- 7. Rounding.
rounded as (
  select dimension, gamma, round(round(case when x > 50 then 50 + gamma * (x - 50) else x end + 2e-11, 9), 1) as value
  from lowest join dues using (dimension)
),
answer as (
  select max(value) filter (where dimension = 'reliability') as reliability,
         max(value) filter (where dimension = 'accuracy') as accuracy,
         max(value) filter (where dimension = 'safety') as safety,
         max(value) filter (where dimension = 'speed') as speed,
         max(value) filter (where dimension = 'consistency') as consistency,
         max(gamma) filter (where dimension = 'reliability') as confidence
  from rounded
)
select round((30 * reliability + 25 * accuracy + 25 * safety + 10 * speed + 10 * consistency) / 100, 1) as overall,
       answer.*, events as events_considered, confidence < 1 as provisional
from answer, enough

import { inConsole, type PageCase, page } from './page-case.ts'

const PLATFORM = '/platforms/:slug'
const DELIVERY = '/platforms/:slug/deliveries/:id'

const platformPages: PageCase[] = [
  inConsole('/platforms', 'some', '', {
    shows: /^(?=.*Webhook failing)(?=.*Webhook disabled).*No webhook –/,
  }),
  inConsole('/platforms', 'none', '', { viewer: 'first', shows: /No platforms yet .* Register a platform$/ }),
  inConsole('/platforms/new', 'empty form', '', {
    shows:
      /Name As everyone sees it Slug Permanent .*Webhook URL \(optional\) .* All events Including types that are added later Only these agent\.registered An /,
  }),
  inConsole(PLATFORM, 'agents to confirm', 'acme-market', {
    shows:
      /None of the last \d attempts .*rotated; webhooks are also signed .* by approval .* Agent Actions State Operator Score Tasks Since Guest REG\S+ Confirm Remove… Claimed Ledger Market Ltd name not checked – 0 [-\d]+ Latest deliveries .*Retry now Delivered none –.* All deliveries Send a test event/,
  }),
  inConsole(PLATFORM, 'without webhook', 'acme-quiet', {
    shows:
      /^The acme-quiet · .*no events are sent\. .* Webhook URL none Events all types Webhook secret active · rotate Admission open Reports not established yet Registered [-\d]+ Latest deliveries None in the last 30 days\.$/,
  }),
  inConsole(PLATFORM, 'failing', 'acme-failing', { shows: /7 deliveries in a row .*Send a test event/ }),
  inConsole(PLATFORM, 'disabled', 'acme-stopped', { shows: /is disabled: 10 deliveries .*Enable webhook/ }),
  inConsole(PLATFORM, 'retired', 'ledger-retired', {
    viewer: 'keeper',
    shows: /^(?!.*(Webhook URL|Send a test event)).*Retired/,
  }),
  inConsole(PLATFORM, 'hostile', 'mallory', { viewer: 'hostile' }),
  inConsole('/platforms/:slug/agents', 'some', 'acme-market', {
    shows: /^Agents · The acme-market .* Agent Actions State .* Confirm Remove… Claimed/,
  }),
  inConsole('/platforms/:slug/agents', 'none', 'acme-quiet', { shows: /No agents here Operators/ }),
  inConsole('/platforms/:slug/agents/:reg/remove', 'asks', 'acme-market guest'),
  inConsole('/platforms/:slug/deliveries', 'some', 'acme-market', {
    shows:
      / Deliveries Recover… Filter Attempts of .*Failed [1-9].* 95% within .*Failing ✗ connection failed \d+ incident\.resolved REG\S+ \d.*Retry now Delivered none – .*Redeliver/,
  }),
  inConsole('/platforms/:slug/deliveries', 'failed alone', 'acme-market?status=failed', {
    shows: /Clear filters.*✗ 500 5 /,
  }),
  inConsole('/platforms/:slug/deliveries', 'none', 'acme-quiet', {
    shows: /No attempts in the last 24 hours\. No deliveries yet/,
  }),
  inConsole('/platforms/:slug/deliveries', 'retired', 'ledger-retired', {
    viewer: 'keeper',
    shows: / Deliveries Filter No attempts/,
  }),
  inConsole(DELIVERY, 'delivered', 'acme-market delivered', {
    shows: /Delivered Event .* Attempts 1 of 5 Delivered \d.* UTC Redeliver Attempts None\. Payload/,
  }),
  inConsole(DELIVERY, 'failed', 'acme-market failed', {
    shows: /Failed Event .* Attempts 5 of 5 Redeliver .*: ✗ 500 .* UTC · 5 ms No response body\. Attempt 2/,
  }),
  inConsole(DELIVERY, 'pending', 'acme-market pending', {
    shows: /Failing Event .* Attempts [12] of 5 Next attempt (now|\d.* UTC) Retry now .* ✗ connection failed/,
  }),
  inConsole(DELIVERY, 'skipped', 'acme-market skipped', {
    shows: /Skipped Event .* Attempts 0 of 5 Redeliver Attempts None/,
  }),
  inConsole(DELIVERY, 'hostile', 'mallory hostile', { viewer: 'hostile' }),
  inConsole('/platforms/:slug/recover', 'asks', 'acme-market', { shows: /Since \(UTC\) When your/ }),
  inConsole('/platforms/:slug/settings', 'active', 'acme-market', {
    shows: /^(?!.*must).*Save changes.*Retire platform…/,
  }),
  inConsole('/platforms/:slug/settings', 'retired', 'ledger-retired', {
    viewer: 'keeper',
    shows: /is retired: it cannot be changed/,
  }),
  inConsole('/platforms/:slug/secret', 'once rotated', 'acme-market', {
    shows: /signed with two secrets.*Another rotation/,
  }),
  inConsole('/platforms/:slug/secret', 'one', 'acme-quiet', {
    shows: /^(?!.*Another rotation).*signed with one secret/,
  }),
  inConsole('/platforms/:slug/retire', 'asks', 'acme-quiet', {
    shows: /Slug of the platform To retire it, type acme-quiet Retire platform Keep it active$/,
  }),
  inConsole('/platforms/:slug/keys', 'none', 'acme-quiet', { shows: /No API keys/ }),
  inConsole('/platforms/:slug/keys', 'some', 'acme-market', { shows: /(now|ago) Active$/ }),
  inConsole('/platforms/:slug/keys/new', 'empty form', 'acme-market'),
  inConsole('/platforms/:slug/keys/:key_id', 'one', 'acme-market platform', {
    shows: /Name Requests per minute From 1 to 600, /,
  }),
  inConsole('/platforms/:slug/keys/:key_id/revoke', 'asks', 'acme-market platform', {
    shows: /Name of the key To revoke it, type market Revoke key Keep the key$/,
  }),
]

const AGENT = '/agents/:reg'

/** The pages of the console in their states. */
export const CONSOLE_PAGES: readonly PageCase[] = [
  {
    ...page('/console', 'not signed in', '/console', { status: 401 }),
    shows: /The console is for operators of agents/,
  },
  page('/console/nowhere', 'no such page', '/console/nowhere', { status: 404, viewer: 'acme' }),
  inConsole('', 'first run', '', {
    viewer: 'first',
    shows:
      /^Overview · Agent Registry Overview Welcome 0 of 6 done Set your name Your .* Set your name Skip this step Register your first agent Verify your domain Create an API key Report the first event Let a platform report$/,
  }),
  inConsole('', 'trouble first', '', {
    shows:
      / Overview Register an agent 2 open incidents error Untitled.* warning Slow responses Invoice Reader, 2 days ago Failing webhooks Disabled The acme-stopped since .* Failing The acme-failing since 1 day ago Failing The acme-market Active agents 4 Average score \d+\.\d Tasks 241 Completed 94\.6% Incidents 3 Agents Agent Standing .* Invoice Reader .* Old Hand REG\S+ ■ deactivated /,
  }),
  inConsole('', 'at the quota', '', {
    viewer: 'full',
    shows:
      / Overview Register an agent ✓ No open incidents, no failing webhooks\. Identity check Unverified After.* Next steps 1 of 6 done.*Active agents 3 Average score – Tasks 0 Completed – .*no events/,
  }),
  inConsole('', 'hostile', '', { viewer: 'hostile' }),
  inConsole('/agents', 'some', '', {
    shows:
      /^(?!.*\b0 open incidents)(?=.*Fresh Start REG\S+ … unrated no verified domain ).* Agents Register an agent All Active Deactivated 4 of 50 active agents.*Loose Tongue REG\S+ \? self-reported \d+\.\d \/ 100 no verified domain 1 open incident .* acme\.example\.com/,
  }),
  inConsole('/agents', 'deactivated', '?status=deactivated', { shows: /^(?!.*Fresh Start).*Old Hand/ }),
  inConsole('/agents', 'one', '', {
    viewer: 'keeper',
    shows: / Agents Register an agent All .* Guest REG\S+ … unrated no verified domain no events$/,
  }),
  inConsole('/agents', 'none deactivated', '?status=deactivated', {
    viewer: 'keeper',
    shows: /No agents here\.$/,
  }),
  inConsole('/agents', 'none', '', {
    viewer: 'first',
    shows: / Agents No agents yet Register an agent to .* Register an agent$/,
  }),
  inConsole('/agents/new', 'empty form', '', {
    shows:
      /Name As everyone sees it Class A · .* Description \(optional\) .* Platform \(optional\) The slug .* Register agent$/,
  }),
  inConsole('/agents/new', 'at the quota', '', {
    viewer: 'full',
    shows: /3 active agents, as many as your tier allows\. .*, or ask .* upgrade you to pro \(50\)\. Active/,
  }),
  inConsole(AGENT, 'with everything', 'invoices', {
    shows:
      /^Invoice Reader · REG.* Overview Activity Incidents \(1\) Domain Keys Settings .*last event 1 day ago.*without a task, it would be .*\(adds nothing\).* \(\+[\d.]+\) Why ! 1 incident open ✓ /,
  }),
  inConsole(AGENT, 'no score yet', 'few', {
    shows:
      / Incidents Domain .*3 of 10 tasks.*last event .* What would raise it .* tasks each: You .* of your own [\d.]+ A platform .*Why there is no score/,
  }),
  inConsole(AGENT, 'deactivated', 'deactivated', { shows: /^(?!.*What would raise it).*, deactivated on / }),
  inConsole(AGENT, 'hostile', 'hostile', { viewer: 'hostile' }),
  inConsole(AGENT, 'astral', 'astral', { viewer: 'hostile', shows: /, no events yet/ }),
  inConsole('/agents/:reg/activity', 'some', 'invoices', {
    shows:
      / task_failed by ledger-market .*quality 0\.95 response_ms 900 11 × task_completed, mean .*1–20 of 202 Next Report events .* it: (\w+ \w+ reports reg_live_\w+…(, |\. )){3}The newest/,
  }),
  inConsole('/agents/:reg/activity', 'redacted', 'redacted', { shows: /redacted .*\(secret\)/ }),
  inConsole('/agents/:reg/activity', 'none', 'astral', {
    viewer: 'hostile',
    shows: /No events yet The newest 50 .* Report events /,
  }),
  inConsole('/agents/:reg/activity', 'hostile', 'hostile', { viewer: 'hostile' }),
  inConsole('/agents/:reg/incidents', 'some', 'invoices', {
    shows:
      /warning reported 2 days ago Slow responses\. How it was resolved Public Resolve incident Resolved .* error resolved 18 days ago · reported 20 days ago/,
  }),
  inConsole('/agents/:reg/incidents', 'none', 'few', { shows: /No open incidents .* resolve them\.$/ }),
  inConsole('/agents/:reg/incidents', 'hostile', 'hostile', { viewer: 'hostile' }),
  inConsole('/agents/:reg/domain', 'verified', 'invoices', {
    shows:
      /^Domain · Invoice.* by a DNS record since .*every week, last 3 days ago\. Verify another domain Domain Or any /,
  }),
  inConsole('/agents/:reg/domain', 'asked for', 'few', {
    shows:
      /A verified domain shows.*Add this TXT record.*Valid until.*Check now Cancel Verify another domain instead$/,
  }),
  inConsole('/agents/:reg/settings', 'active', 'invoices', {
    shows:
      /Name As everyone sees it Description .* verified domain\. Save changes Platform On Ledger Market Confirmed Platform \(optional\) .* for none\. An agent leaves .* Change platform .*Deactivate agent…/,
  }),
  inConsole('/agents/:reg/settings', 'deactivated', 'deactivated', {
    shows: /^(?!.*(Save changes|Deactivate agent)).*On no platform/,
  }),
  inConsole('/agents/:reg/settings', 'hostile', 'hostile', {
    viewer: 'hostile',
    shows: /On no platform\. Platform \(optional\) .* empty for none\. Change platform/,
  }),
  inConsole('/agents/:reg/keys', 'some', 'invoices', {
    shows: /Revoked compromised, .* Active · registered 9 days ago Revoke… .* Proof What /,
  }),
  inConsole('/agents/:reg/keys', 'none', 'few', { shows: /has no keys yet\. Register a key/ }),
  inConsole('/agents/:reg/keys/:kid/revoke', 'asks', 'invoices agent'),
  inConsole('/agents/:reg/deactivate', 'asks', 'few', {
    shows: /Fresh Start accepts no more .* Number of the agent To deactivate it, type REG-.*Keep it active$/,
  }),
  inConsole('/keys', 'some', '', { shows: /activity:report 60 \d .*(now|ago) Active$/ }),
  inConsole('/keys', 'none', '', { viewer: 'first', shows: /No API keys/ }),
  inConsole('/keys/new', 'empty form', '', {
    shows: /Name Where .* Requests per minute From 1 .*Expires on \(optional\)/,
  }),
  inConsole('/keys/:key_id', 'one', 'own'),
  inConsole('/keys/:key_id/revoke', 'asks', 'own'),
  ...platformPages,
  inConsole('/notifications', 'some', '', {
    shows:
      /\((\d+)\) .*Mark all as read \1 notifications unread New .*Incident.*Severity error.*Mark as read New Key/,
  }),
  inConsole('/notifications', 'none', '', { viewer: 'first', shows: /Nothing yet/ }),
  inConsole('/audit', 'some', '', { shows: / Filter Time Action Object / }),
  inConsole('/audit', 'of one kind', '?action=api_key.created', { shows: /Clear filter.*API key created/ }),
  inConsole('/account', 'verified', '', {
    shows:
      /Your tier is pro.* Profile Name Public.* Verified Valid until [-\d]+\. Notifications .* Another program This one Started .* Another program Started .*, expires on [-\d]+ Revoke Revoke all others .* Name of the program Create token$/,
  }),
  inConsole('/account', 'unverified', '', {
    viewer: 'first',
    shows: /Unverified After the check.*Verify my identity/,
  }),
]

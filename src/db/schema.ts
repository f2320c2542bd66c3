import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  json,
  jsonb,
  numeric,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import {
  ADMISSIONS,
  AGENT_CLASSES,
  AGENT_STATUSES,
  DELIVERY_STATUSES,
  EVENT_TYPES,
  each,
  INCIDENT_STATUSES,
  KEY_REASONS,
  KYC_CHECK_STATUSES,
  KYC_PROVIDERS,
  KYC_STATUSES,
  LIFECYCLE_STATES,
  MAIL_OPT_OUTS,
  MAIL_STATUSES,
  NOTIFICATION_TYPES,
  type NotificationPref,
  OPERATOR_STATUSES,
  OWNERSHIP_METHODS,
  OWNERSHIP_STATUSES,
  PERMISSIONS,
  PLATFORM_STATES,
  PLATFORM_STATUSES,
  RECORD_STANDINGS,
  REDACTION_REASONS,
  REPORTERS,
  SEVERITIES,
  SOURCES,
  TIERS,
  WEBHOOK_STATUSES,
} from './enums.ts'
import { ROLLUP_FIELDS } from './rollup-fields.ts'
import { republishAt } from './sql.ts'
import { instant, tsvector } from './types.ts'

export const operators = pgTable(
  'operators',
  {
    id: uuid().primaryKey(),
    issuer: text().notNull(),
    subject: text().notNull(),
    email: text().notNull(),
    name: text().notNull(),
    company_name: text(),
    company_url: text(),
    avatar_url: text(),
    role: text().notNull().default('operator'),
    status: text({ enum: OPERATOR_STATUSES }).notNull().default('active'),
    kyc_status: text({ enum: KYC_STATUSES }).notNull().default('unverified'),
    kyc_verified_at: instant(),
    kyc_expires_at: instant(),
    /** When a checked document last showed this name; null after a change of the name. */
    name_verified_at: instant(),
    /** HMAC of the person that a check found; never shown. */
    kyc_identity: text(),
    /** Whether the next check may find another person. */
    kyc_identity_released: boolean().notNull().default(false),
    /** UTC day of the last identity check, and the number of checks opened on it. */
    kyc_day: date({ mode: 'string' }),
    kyc_opened: smallint().notNull().default(0),
    tier: text({ enum: TIERS }).notNull().default('free'),
    agent_limit: integer().notNull(),
    active_agents: integer().notNull().default(0),
    /** UTC day of the last webhook attempt to a URL that has never returned 2xx, and the number of them on it. */
    unresponsive_day: date({ mode: 'string' }),
    unresponsive_attempts: smallint().notNull().default(0),
    notification_prefs: jsonb().$type<Record<NotificationPref, boolean>>().notNull(),
    /** Types of notifications that the operator does not receive by mail. */
    mail_opt_outs: text({ enum: MAIL_OPT_OUTS }).array().notNull().default(sql`'{}'::text[]`),
    /** When the mail provider rejected the address; null while mail is sent to it. */
    mail_refused_at: instant(),
    /** Monday of the last week whose digest was made or was not needed. */
    digest_week: date({ mode: 'string' }).notNull(),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
  },
  (t) => [
    uniqueIndex('operators_identity').on(t.issuer, t.subject),
    index('operators_name_trigrams').using('gin', t.name.op('gin_trgm_ops')),
    index('operators_email').on(t.email),
    index('operators_kyc_expiry').on(t.kyc_expires_at).where(sql`${t.kyc_status} = 'verified'`),
    index('operators_digest').on(t.digest_week),
    index('operators_suspended').on(t.id).where(sql`${t.status} = 'suspended'`),
    check('operators_active_agents', sql`${t.active_agents} >= 0`),
  ],
)

const operatorId = () =>
  uuid()
    .notNull()
    .references(() => operators.id)

export const sessions = pgTable(
  'sessions',
  {
    id: text().primaryKey(),
    operator_id: operatorId(),
    salt: text().notNull(),
    secret_hash: text().notNull(),
    ip: text().notNull(),
    user_agent: text().notNull(),
    /** Name of a token that the operator created for a program; null for a sign-in. */
    name: text(),
    created_at: instant().notNull(),
    expires_at: instant().notNull(),
    ended_at: instant(),
  },
  (t) => [
    index('sessions_operator').on(t.operator_id, t.created_at),
    index('sessions_over').on(sql`least(${t.ended_at}, ${t.expires_at})`),
  ],
)

export const platforms = pgTable(
  'platforms',
  {
    id: uuid().primaryKey(),
    operator_id: operatorId(),
    slug: text().notNull(),
    name: text().notNull(),
    webhook_url: text(),
    webhook_secret: text().notNull(),
    /** Also signs webhooks until `previous_webhook_secret_until`. */
    previous_webhook_secret: text(),
    previous_webhook_secret_until: instant(),
    event_types: text({ enum: EVENT_TYPES }).array(),
    status: text({ enum: PLATFORM_STATUSES }).notNull().default('active'),
    admission: text({ enum: ADMISSIONS }).notNull().default('open'),
    webhook_status: text({ enum: WEBHOOK_STATUSES }).notNull().default('enabled'),
    /** Deliveries that failed since the last success, and when the first of them failed. */
    consecutive_failures: integer().notNull().default(0),
    failing_since: instant(),
    /** When this webhook URL last returned 2xx, to the minute; and the attempts since any URL of the platform did. */
    last_response_at: instant(),
    attempts_without_response: integer().notNull().default(0),
    /** Since when enough verified operators have worked with it, so that its reports count as independent. */
    established_at: instant(),
    /** The operators that worked with it by then. */
    established_by: uuid().array(),
    /** Since when its reports count at most as `peer`, even if it is established. */
    distrusted_at: instant(),
    /** UTC day on which the job last checked whether it is established. */
    judged_day: date({ mode: 'string' }),
    /** When an administrator withheld its name from others; null while it is shown. */
    texts_withheld_at: instant(),
    created_at: instant().notNull(),
  },
  (t) => [
    uniqueIndex('platforms_slug').on(t.slug),
    index('platforms_operator').on(t.operator_id),
    index('platforms_distrusted').on(t.operator_id).where(sql`${t.distrusted_at} is not null`),
    index('platforms_unestablished')
      .on(t.judged_day)
      .where(sql`${t.established_at} is null and ${t.status} = 'active'`),
  ],
)

const platformId = () =>
  uuid()
    .notNull()
    .references(() => platforms.id)

export const agents = pgTable(
  'agents',
  {
    id: uuid().primaryKey(),
    reg: text().notNull(),
    operator_id: operatorId(),
    platform_id: uuid().references(() => platforms.id),
    platform_state: text({ enum: PLATFORM_STATES }),
    /** When the agent joined its platform, which cannot read earlier events. */
    platform_since: instant(),
    /** When the agent leaves its platform, and the platform that it then joins; null if none. */
    platform_leaves_at: instant(),
    next_platform_id: uuid().references(() => platforms.id),
    name: text().notNull(),
    name_changed_at: instant(),
    description: text().notNull(),
    class: text({ enum: AGENT_CLASSES }).notNull(),
    status: text({ enum: AGENT_STATUSES }).notNull().default('active'),
    ownership_status: text({ enum: OWNERSHIP_STATUSES }).notNull().default('unverified'),
    ownership_verified_at: instant(),
    /** The verified domain in punycode; null unless the ownership is verified. */
    domain: text(),
    homepage_url: text(),
    card_url: text(),
    specializations: text().array().notNull(),
    registered_at: instant().notNull(),
    deactivated_at: instant(),
    /** Number of versions of its public facts; a trigger counts them. */
    revision: integer().notNull().default(0),
    /** UTC day of the last change by its operator, and the number of changes on it. */
    changed_day: date({ mode: 'string' }),
    changes: integer().notNull().default(0),
    /** When an administrator withheld its texts from others; null while they are shown. */
    texts_withheld_at: instant(),
    search: tsvector().generatedAlwaysAs(
      sql`case when texts_withheld_at is null then agent_search(reg, name, specializations, description)
        else agent_search(reg, '', '{}', '') end`,
    ),
  },
  (t) => [
    // text_pattern_ops: also by the beginning of a number, whatever the collation.
    uniqueIndex('agents_reg').on(t.reg.op('text_pattern_ops')),
    // Agents of an operator are counted from the index alone.
    index('agents_operator').on(t.operator_id, t.registered_at, t.id),
    index('agents_operator_domains')
      .on(t.operator_id, t.domain)
      .where(sql`${t.domain} is not null and ${t.status} = 'active'`),
    index('agents_platform')
      .on(t.platform_id, t.platform_state, t.platform_since, t.id)
      .where(sql`${t.platform_id} is not null`),
    index('agents_leaving').on(t.platform_leaves_at).where(sql`${t.platform_leaves_at} is not null`),
    index('agents_domain').on(t.domain).where(sql`${t.domain} is not null`),
    index('agents_domain_reversed')
      .on(sql`reverse(${t.domain}) text_pattern_ops`)
      .where(sql`${t.domain} is not null`),
    index('agents_search').using('gin', t.search),
    index('agents_name_trigrams').using('gin', t.name.op('gin_trgm_ops')),
    index('agents_specializations').using('gin', t.specializations),
    // A range: without it, a search by class reads a third of all agents to count at most 10,000.
    index('agents_class').on(t.class, t.id),
    index('agents_deactivated').on(t.id).where(sql`${t.status} = 'deactivated'`),
    index('agents_verified').on(t.id).where(sql`${t.ownership_status} = 'verified'`),
    check('agents_domain_verified', sql`${t.domain} is null or ${t.ownership_status} = 'verified'`),
    check('agents_platform_state', sql`(${t.platform_id} is null) = (${t.platform_state} is null)`),
  ],
)

const agentId = () =>
  uuid()
    .notNull()
    .references(() => agents.id)

/** Public keys with which agents sign requests. A key is never given out again, and changes once: it is revoked. */
export const agent_keys = pgTable(
  'agent_keys',
  {
    /** The thumbprint of the key. */
    kid: text().primaryKey(),
    agent_id: agentId(),
    reg: text().notNull(),
    /** The Ed25519 key: 32 bytes in base64url. */
    x: text().notNull(),
    added_at: instant().notNull(),
    expires_at: instant(),
    revoked_at: instant(),
    reason: text({ enum: KEY_REASONS }),
    /** When the operator was reminded that it expires soon. */
    reminded_at: instant(),
  },
  (t) => [
    index('agent_keys_agent').on(t.agent_id, t.added_at.desc()),
    index('agent_keys_valid').on(t.reg).where(sql`${t.revoked_at} is null`),
    index('agent_keys_expiring')
      .on(t.expires_at)
      .where(sql`${t.revoked_at} is null and ${t.reminded_at} is null`),
    check('agent_keys_revoked', sql`(${t.revoked_at} is null) = (${t.reason} is null)`),
  ],
)

/** Agents that a platform removed: they cannot join it again for 30 days. */
export const platform_removals = pgTable(
  'platform_removals',
  {
    agent_id: agentId(),
    platform_id: platformId(),
    removed_at: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.agent_id, t.platform_id] })],
)

/** What an operator has done of each allowance since the begin of the current period. */
export const allowances = pgTable(
  'allowances',
  {
    operator_id: operatorId(),
    name: text().notNull(),
    since: instant().notNull(),
    taken: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.operator_id, t.name] })],
)

/**
 * The webhook events about the claimed agents of an operator on a platform that count toward its limit, in the last UTC
 * minute that had any.
 */
export const claimed_events = pgTable(
  'claimed_events',
  {
    operator_id: operatorId(),
    platform_id: platformId(),
    minute: instant().notNull(),
    /** Also those that exceeded the limit and were not sent. */
    events: integer().notNull(),
    /** Whether the minute before had events that were not sent; only in the statement that begins a minute. */
    after_gap: boolean().notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.operator_id, t.platform_id] })],
)

/** What events and snapshots update: narrow, so that updates stay on their page (fill factor in drizzle/settings.sql). */
export const agent_stats = pgTable(
  'agent_stats',
  {
    agent_id: uuid()
      .primaryKey()
      .references(() => agents.id),
    events: bigint({ mode: 'number' }).notNull().default(0),
    tasks_completed: bigint({ mode: 'number' }).notNull().default(0),
    tasks_failed: bigint({ mode: 'number' }).notNull().default(0),
    response_count: bigint({ mode: 'number' }).notNull().default(0),
    response_ms: bigint({ mode: 'number' }).notNull().default(0),
    incident_count: integer().notNull().default(0),
    open_incident_count: integer().notNull().default(0),
    last_active_at: instant(),
    /** Whether the agent runs, as its operator says, and as others say; null before the first change means up. */
    own_state: text({ enum: LIFECYCLE_STATES }),
    own_since: instant(),
    others_state: text({ enum: LIFECYCLE_STATES }),
    others_since: instant(),
    deactivated: boolean().notNull().default(false),
    /** Whether its operator is suspended; set by a trigger of `operators`, for the ranking index. */
    suspended: boolean().notNull().default(false),
    unscored_since: instant(),
    score_revision: integer().notNull().default(0),
    /** UTC day of the last snapshot; null if nothing is left to compute. */
    scored_day: date({ mode: 'string' }),
    /** Number of thresholds that the score is above: 0 to 3. */
    trust_level: smallint().notNull().default(0),
    trust_score_overall: numeric({ precision: 4, scale: 1 }),
    trust_score_updated: instant(),
    /** What the same rows say in one word; null before the first snapshot. */
    record_standing: text({ enum: RECORD_STANDINGS }),
    /** The whole score of the last snapshot with its standing, as its basis shows it; null without a score. */
    kept_score: json(),
    /** The version of the algorithm of `kept_score`. */
    kept_algorithm: text(),
    /** UTC day of the last report, and the events and bytes of metadata on it, for each side: own operator, platforms. */
    reported_day: date({ mode: 'string' }),
    own_events: integer().notNull().default(0),
    own_bytes: bigint({ mode: 'number' }).notNull().default(0),
    platform_events: integer().notNull().default(0),
    platform_bytes: bigint({ mode: 'number' }).notNull().default(0),
    /** UTC minute of the last incident, and the incidents in it; critical ones are counted separately. */
    incident_minute: instant(),
    minute_incidents: smallint().notNull().default(0),
    minute_criticals: smallint().notNull().default(0),
    /** `seq` of the last event in the transparency log; and since when, at the earliest, there are later events. */
    logged_events: bigint({ mode: 'number' }).notNull().default(0),
    unlogged_since: instant(),
  },
  (t) => [
    // Ids are UUIDv7, which are ordered by time of registration.
    index('agent_stats_ranking').on(
      t.suspended,
      t.deactivated,
      sql`${t.trust_score_overall} desc nulls last`,
      sql`${t.agent_id} desc`,
    ),
    index('agent_stats_scored_day').on(t.scored_day).where(sql`${t.scored_day} is not null`),
    index('agent_stats_unscored').on(t.unscored_since).where(sql`${t.unscored_since} is not null`),
    index('agent_stats_unlogged')
      .on(t.unlogged_since, t.agent_id)
      .where(sql`${t.unlogged_since} is not null`),
  ],
)

export const number_slots = pgTable(
  'number_slots',
  {
    year: smallint().notNull(),
    slot: smallint().notNull(),
    block: integer().notNull(),
    next: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.year, t.slot] })],
)

export const api_keys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey(),
    operator_id: operatorId(),
    /** Set for a platform key; its operator is the one that registered the platform. */
    platform_id: uuid().references(() => platforms.id),
    name: text().notNull(),
    key_prefix: text().notNull(),
    salt: text().notNull(),
    secret_hash: text().notNull(),
    permissions: text({ enum: PERMISSIONS }).array().notNull(),
    rate_limit_per_minute: integer().notNull().default(60),
    created_at: instant().notNull(),
    expires_at: instant(),
    revoked_at: instant(),
    last_used_at: instant(),
    requests_count: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [
    uniqueIndex('api_keys_prefix').on(t.key_prefix),
    index('api_keys_operator').on(t.operator_id, t.created_at),
    index('api_keys_live')
      .on(t.operator_id, sql`coalesce(${t.expires_at}, 'infinity')`)
      .where(sql`${t.revoked_at} is null`),
    index('api_keys_platform').on(t.platform_id).where(sql`${t.platform_id} is not null`),
  ],
)

/** An enum in the database, because its order is the order of the rollup rows of a day. */
export const report_source = pgEnum('report_source', SOURCES)

/**
 * The immutable log. No foreign key, because the inserting statement has locked the row of the agent. Few indexes,
 * because every event pays for each: times are found along `seq` (the function first_seq), ids by a BRIN index.
 */
export const activity_events = pgTable(
  'activity_events',
  {
    id: uuid().notNull(),
    agent_id: uuid().notNull(),
    seq: bigint({ mode: 'number' }).notNull(),
    event_type: text().notNull(),
    severity: text({ enum: SEVERITIES }).notNull(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull(),
    reported_by: text({ enum: REPORTERS }).notNull(),
    /** Who reported the event, decided when it is stored; later identity checks do not change it. */
    source: report_source().notNull().default('self'),
    /** The permanent slug of the platform whose key reported the event; null for a key of the operator. */
    platform: text(),
    created_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.agent_id, t.seq] }),
    index('activity_events_agent_type').on(t.agent_id, t.event_type, t.seq),
    index('activity_events_id').using('brin', t.id).with({ autosummarize: true }),
    check('activity_events_metadata', sql`octet_length(${t.metadata}::text) <= 20000`),
  ],
)

/** Events whose metadata is permanently hidden; the event keeps its row and its place in the log. */
export const redactions = pgTable(
  'redactions',
  {
    event_id: uuid().primaryKey(),
    agent_id: agentId(),
    reason: text({ enum: REDACTION_REASONS }).notNull(),
    redacted_at: instant().notNull(),
    /** The commitment to the metadata in the transparency log, kept once the metadata is erased. */
    metadata_commitment: text(),
    /** What the event added to its rollup row. */
    added: jsonb().$type<Record<string, number>>().notNull(),
    erased_at: instant(),
  },
  (t) => [index('redactions_agent').on(t.agent_id)],
)

const counter = () => bigint({ mode: 'number' }).notNull().default(0)

/** Rollups: one row per agent, UTC day, and source; its counters only grow. */
export const agent_evidence = pgTable(
  'agent_evidence',
  {
    agent_id: uuid().notNull(),
    day: date({ mode: 'string' }).notNull(),
    source: report_source().notNull(),
    ...each(ROLLUP_FIELDS, counter),
    /** The row as `readRows` expects it, printed by a trigger: printing it at each read would dominate the cost. */
    printed: text().notNull().default(''),
  },
  (t) => [primaryKey({ columns: [t.agent_id, t.day, t.source] })],
)

/** Outages that have ended, of an agent's operator or of others, with at least one day between beginning and end. */
export const agent_outages = pgTable(
  'agent_outages',
  {
    agent_id: uuid().notNull(),
    is_own: boolean().notNull(),
    began_on: date({ mode: 'string' }).notNull(),
    ended_on: date({ mode: 'string' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.agent_id, t.is_own, t.ended_on] })],
)

const score = () => numeric({ precision: 4, scale: 1, mode: 'number' }).notNull()

/** Snapshots: one row per agent and UTC day, replaced until the end of the day, then final. */
export const trust_scores = pgTable(
  'trust_scores',
  {
    agent_id: uuid().notNull(),
    day: date({ mode: 'string' }).notNull(),
    overall: score(),
    reliability: score(),
    accuracy: score(),
    safety: score(),
    speed: score(),
    consistency: score(),
    events_considered: bigint({ mode: 'number' }).notNull(),
    algorithm_version: text().notNull(),
    inputs_sha256: text().notNull(),
    computed_at: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.agent_id, t.day] })],
)

export const incidents = pgTable(
  'incidents',
  {
    id: uuid().primaryKey(),
    agent_id: agentId(),
    event_id: uuid().notNull(),
    /** Who reported its event, as the event says. */
    reported_by: text({ enum: REPORTERS }).notNull(),
    source: report_source().notNull(),
    platform: text(),
    title: text().notNull(),
    description: text().notNull(),
    severity: text({ enum: SEVERITIES }).notNull(),
    status: text({ enum: INCIDENT_STATUSES }).notNull().default('open'),
    created_at: instant().notNull(),
    resolution: text(),
    resolved_at: instant(),
    /** Whether its event is redacted: then its texts are the default ones, and a resolution is not stored. */
    redacted: boolean().notNull().default(false),
  },
  (t) => [
    index('incidents_agent').on(t.agent_id, t.created_at),
    index('incidents_status').on(t.agent_id, t.status, t.created_at, t.id),
    index('incidents_open_critical')
      .on(t.agent_id)
      .where(sql`${t.status} = 'open' and ${t.severity} = 'critical'`),
    index('incidents_resolved').on(t.agent_id, t.resolved_at).where(sql`${t.resolved_at} is not null`),
  ],
)

/** Challenges to verify a domain: created, then checked, then checked again every week. */
export const ownership_challenges = pgTable(
  'ownership_challenges',
  {
    id: uuid().primaryKey(),
    agent_id: agentId(),
    domain: text().notNull(),
    method: text({ enum: OWNERSHIP_METHODS }).notNull(),
    token: text().notNull(),
    created_at: instant().notNull(),
    expires_at: instant().notNull(),
    verified_at: instant(),
    /** Time of the last conclusive check, and the number of checks since the last success that did not find the proof. */
    checked_at: instant(),
    misses: smallint().notNull().default(0),
    /** What the last check found instead of the proof, while the challenge is pending. */
    finding: text(),
    /** When another proof replaced it, the proof was missing three times, or its operator canceled it. */
    ended_at: instant(),
  },
  (t) => [
    uniqueIndex('ownership_challenges_pending')
      .on(t.agent_id)
      .where(sql`${t.verified_at} is null and ${t.ended_at} is null`),
    uniqueIndex('ownership_challenges_verified')
      .on(t.agent_id)
      .where(sql`${t.verified_at} is not null and ${t.ended_at} is null`),
    index('ownership_challenges_due')
      .on(t.checked_at)
      .where(sql`${t.verified_at} is not null and ${t.ended_at} is null`),
  ],
)

/** Identity checks at the provider; at most one per operator is pending. */
export const kyc_checks = pgTable(
  'kyc_checks',
  {
    id: uuid().primaryKey(),
    operator_id: operatorId(),
    provider: text({ enum: KYC_PROVIDERS }).notNull(),
    provider_session_id: text().notNull(),
    status: text({ enum: KYC_CHECK_STATUSES }).notNull(),
    /** The status of the operator before the check, restored if the check is canceled. */
    previous_status: text({ enum: ['unverified', 'verified', 'failed', 'expired'] }).notNull(),
    created_at: instant().notNull(),
    completed_at: instant(),
    reason: text(),
    /** The last reminder before the verification expires: how many days before. */
    reminded_days: smallint(),
  },
  (t) => [
    uniqueIndex('kyc_checks_session').on(t.provider_session_id),
    uniqueIndex('kyc_checks_pending').on(t.operator_id).where(sql`${t.status} = 'pending'`),
    index('kyc_checks_operator').on(t.operator_id, t.created_at),
  ],
)

/** The outbox: written by the statement that makes the change. */
export const webhook_events = pgTable(
  'webhook_events',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    created_at: instant().notNull(),
    data: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [
    index('webhook_events_created').on(t.created_at),
    index('webhook_events_incident')
      .on(sql`(${t.data} ->> 'incident_id')`)
      .where(sql`${t.type} in ('incident.created', 'incident.resolved')`),
  ],
)

export const webhook_deliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid().primaryKey(),
    event_id: text()
      .notNull()
      .references(() => webhook_events.id),
    platform_id: platformId(),
    /** The type of its event, so that a list of a rare type reads one index range. */
    type: text({ enum: EVENT_TYPES }).notNull(),
    status: text({ enum: DELIVERY_STATUSES }).notNull(),
    attempts: smallint().notNull().default(0),
    lease_until: instant(),
    next_attempt_at: instant(),
    published_at: instant(),
    publish_count: smallint().notNull().default(0),
    created_at: instant().notNull(),
    delivered_at: instant(),
  },
  (t) => [
    index('webhook_deliveries_platform').on(t.platform_id, t.created_at),
    index('webhook_deliveries_type').on(t.platform_id, t.type, t.created_at),
    // The age of the outbox (/ready) is its first row.
    index('webhook_deliveries_due').on(t.next_attempt_at).where(sql`${t.status} = 'pending'`),
    // The sweep reads a range of each of these per platform, never what others have queued.
    index('webhook_deliveries_waiting')
      .on(t.platform_id, t.next_attempt_at)
      .where(sql`${t.status} = 'pending'`),
    index('webhook_deliveries_unpublished')
      .on(t.platform_id, t.next_attempt_at)
      .where(sql`${t.status} = 'pending' and ${t.published_at} is null`),
    index('webhook_deliveries_republish')
      .on(t.platform_id, republishAt(t))
      .where(sql`${t.status} = 'pending' and ${t.published_at} is not null`),
    index('webhook_deliveries_event').on(t.event_id),
    index('webhook_deliveries_undelivered')
      .on(t.platform_id, t.created_at)
      .where(sql`${t.status} in ('failed', 'skipped')`),
    index('webhook_deliveries_created').on(t.created_at).where(sql`${t.status} <> 'pending'`),
  ],
)

/** One row per attempt, inserted when it is claimed; without an outcome, it is in progress or was interrupted. */
export const webhook_attempts = pgTable(
  'webhook_attempts',
  {
    delivery_id: uuid()
      .notNull()
      .references(() => webhook_deliveries.id),
    number: smallint().notNull(),
    started_at: instant().notNull(),
    duration_ms: integer(),
    response_status: smallint(),
    error: text(),
    response_excerpt: text(),
  },
  (t) => [primaryKey({ columns: [t.delivery_id, t.number] })],
)

export const job_runs = pgTable('job_runs', {
  name: text().primaryKey(),
  succeeded_at: instant().notNull(),
})

/** First responses to requests with an Idempotency-Key and to forms of the console, kept for 24 hours. */
export const idempotency_keys = pgTable(
  'idempotency_keys',
  {
    /** See `Repeatable`. */
    scope: text().primaryKey(),
    body_sha256: text().notNull(),
    answer: jsonb().$type<Record<string, unknown>>().notNull(),
    created_at: instant().notNull(),
  },
  (t) => [index('idempotency_keys_created').on(t.created_at)],
)

/** Bytes of the first responses of an operator on a UTC day, by the first digit of their scope. */
export const idempotency_usage = pgTable(
  'idempotency_usage',
  {
    operator_id: operatorId(),
    share: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.operator_id, t.share] })],
)

/** Actions on the account of an operator, written by the statement that makes the change. */
export const audit_log = pgTable(
  'audit_log',
  {
    id: uuid().primaryKey(),
    operator_id: operatorId(),
    action: text().notNull(),
    target: text(),
    created_at: instant().notNull(),
  },
  (t) => [index('audit_log_operator').on(t.operator_id, t.created_at)],
)

/** Portions of key usage added from Redis: each counts once, even if a fold is interrupted and repeated. */
export const usage_folds = pgTable('usage_folds', {
  id: uuid().primaryKey(),
  folded_at: instant().notNull(),
})

export const notifications = pgTable(
  'notifications',
  {
    id: uuid().primaryKey(),
    operator_id: operatorId(),
    type: text({
      enum: NOTIFICATION_TYPES,
    }).notNull(),
    title: text().notNull(),
    body: text().notNull(),
    reg: text(),
    /** The incident of an incident alert, and whether it is critical. */
    incident_id: uuid(),
    critical: boolean().notNull().default(false),
    read_at: instant(),
    created_at: instant().notNull(),
  },
  (t) => [
    index('notifications_operator').on(t.operator_id, t.created_at),
    index('notifications_created').on(t.created_at),
    index('notifications_incident').on(t.incident_id).where(sql`${t.incident_id} is not null`),
    /** At most one per agent and UTC day. */
    uniqueIndex('notifications_trust_alert')
      .on(t.reg, sql`(((${t.created_at}) at time zone 'utc')::date)`)
      .where(sql`${t.type} = 'trust_alert'`),
    index('notifications_unread').on(t.operator_id).where(sql`${t.read_at} is null`),
  ],
)

/** Notifications to send by mail; a mail has the id of its notification, whose texts are read when it is sent. */
export const mails = pgTable(
  'mails',
  {
    id: uuid()
      .primaryKey()
      .references(() => notifications.id, { onDelete: 'cascade' }),
    operator_id: operatorId(),
    type: text({ enum: NOTIFICATION_TYPES }).notNull(),
    reg: text(),
    /** Whether it counts toward the quota of critical ones. */
    critical: boolean().notNull().default(false),
    status: text({ enum: MAIL_STATUSES }).notNull().default('pending'),
    /** How often the provider was asked to send it. */
    attempts: smallint().notNull().default(0),
    /** When QStash got its message. */
    published_at: instant(),
    created_at: instant().notNull(),
    /** Why it was not sent, or not yet: a reason of this service, or the provider's name of the error. */
    error: text(),
  },
  (t) => [
    index('mails_operator').on(t.operator_id, t.created_at),
    index('mails_pending').on(t.created_at).where(sql`${t.status} = 'pending'`),
    index('mails_created').on(t.created_at),
  ],
)

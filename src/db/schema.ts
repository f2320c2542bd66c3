import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
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
  INCIDENT_STATUSES,
  KYC_CHECK_STATUSES,
  KYC_PROVIDERS,
  KYC_STATUSES,
  LIFECYCLE_STATES,
  MAIL_STATUSES,
  NOTIFICATION_TYPES,
  OPERATOR_STATUSES,
  OWNERSHIP_METHODS,
  OWNERSHIP_STATUSES,
  PERMISSIONS,
  PLATFORM_STATES,
  PLATFORM_STATUSES,
  REDACTION_REASONS,
  REPORTERS,
  SEVERITIES,
  SOURCES,
  TIERS,
  WEBHOOK_STATUSES,
} from './enums.ts'
import { eachField } from './rollup-fields.ts'
import { republishAt } from './sql.ts'
import { instant, tsvector } from './types.ts'

export interface NotificationPrefs {
  trust_alerts: boolean
  incident_alerts: boolean
  weekly_digest: boolean
  kyc_reminders: boolean
}

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
    /** When the document of a check last bore this name; null after a change of the name. */
    name_verified_at: instant(),
    /** HMAC of whom a check has found; never shown. */
    kyc_identity: text(),
    /** Whether the next check that tells an identity may tell another. */
    kyc_identity_released: boolean().notNull().default(false),
    /** The UTC day of the last check opened, and how many were opened that day. */
    kyc_day: date({ mode: 'string' }),
    kyc_opened: smallint().notNull().default(0),
    tier: text({ enum: TIERS }).notNull().default('free'),
    agent_limit: integer().notNull(),
    active_agents: integer().notNull().default(0),
    /** The UTC day of the last registration, and how many there were that day. */
    registrations_day: date({ mode: 'string' }),
    registrations: integer().notNull().default(0),
    notification_prefs: jsonb().$type<NotificationPrefs>().notNull(),
    /** Types of notifications that it is not sent by mail. */
    mail_unsubscribed: text({ enum: NOTIFICATION_TYPES }).array().notNull().default(sql`'{}'::text[]`),
    /** When the mail provider rejected its address; null while it is mailed. */
    mail_refused_at: instant(),
    /** The Monday of the last week whose digest was made, or need not be. */
    digest_week: date({ mode: 'string' }).notNull(),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
  },
  (t) => [
    uniqueIndex('operators_identity').on(t.issuer, t.subject),
    index('operators_email').on(t.email),
    index('operators_kyc_expiry').on(t.kyc_expires_at).where(sql`${t.kyc_status} = 'verified'`),
    index('operators_digest').on(t.digest_week),
    check('operators_active_agents', sql`${t.active_agents} >= 0`),
  ],
)

export const sessions = pgTable(
  'sessions',
  {
    id: text().primaryKey(),
    operator_id: uuid()
      .notNull()
      .references(() => operators.id),
    salt: text().notNull(),
    secret_hash: text().notNull(),
    ip: text().notNull(),
    user_agent: text().notNull(),
    /** What its operator calls a token that was made for a program; null for a sign-in. */
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
    operator_id: uuid()
      .notNull()
      .references(() => operators.id),
    slug: text().notNull(),
    name: text().notNull(),
    webhook_url: text(),
    webhook_secret: text().notNull(),
    /** Signs together with the newest one until its time is over. */
    previous_webhook_secret: text(),
    previous_webhook_secret_until: instant(),
    event_types: text({ enum: EVENT_TYPES }).array(),
    status: text({ enum: PLATFORM_STATUSES }).notNull().default('active'),
    admission: text({ enum: ADMISSIONS }).notNull().default('open'),
    webhook_status: text({ enum: WEBHOOK_STATUSES }).notNull().default('enabled'),
    /** Deliveries that failed since the last success, and when the first of them did. */
    failed_in_row: integer().notNull().default(0),
    failing_since: instant(),
    /** When the webhook, with this URL, first responded with 2xx; and the attempts while it never has. */
    answered_at: instant(),
    unanswered_attempts: integer().notNull().default(0),
    /** When enough verified operators had worked with it; from then on its reports count as independent. */
    established_at: instant(),
    /** From when on its reports count as a peer's at most, whether it is established or not. */
    distrusted_at: instant(),
    /** The UTC day on which the job last asked whether it is established. */
    judged_day: date({ mode: 'string' }),
    created_at: instant().notNull(),
  },
  (t) => [
    uniqueIndex('platforms_slug').on(t.slug),
    index('platforms_operator').on(t.operator_id),
    index('platforms_unestablished')
      .on(t.judged_day)
      .where(sql`${t.established_at} is null and ${t.status} = 'active'`),
  ],
)

export const agents = pgTable(
  'agents',
  {
    id: uuid().primaryKey(),
    reg: text().notNull(),
    operator_id: uuid()
      .notNull()
      .references(() => operators.id),
    platform_id: uuid().references(() => platforms.id),
    platform_state: text({ enum: PLATFORM_STATES }),
    /** When the agent joined its platform: that reads no event from before. */
    platform_since: instant(),
    /** When the agent leaves its platform, and for which one; null for none. */
    platform_leaves_at: instant(),
    next_platform_id: uuid().references(() => platforms.id),
    name: text().notNull(),
    name_changed_at: instant(),
    description: text().notNull(),
    class: text({ enum: AGENT_CLASSES }).notNull(),
    status: text({ enum: AGENT_STATUSES }).notNull().default('active'),
    ownership_status: text({ enum: OWNERSHIP_STATUSES }).notNull().default('unverified'),
    ownership_verified_at: instant(),
    /** The verified domain, an A-label; null unless the ownership is verified. */
    domain: text(),
    homepage_url: text(),
    card_url: text(),
    specializations: text().array().notNull(),
    registered_at: instant().notNull(),
    deactivated_at: instant(),
    /** How often public facts of it have changed; 0 until the transparency log has taken it in. */
    revision: integer().notNull().default(0),
    /** The UTC day of its operator's last change, and how many came on it. */
    changed_day: date({ mode: 'string' }),
    changes: integer().notNull().default(0),
    search: tsvector().generatedAlwaysAs(sql`agent_search(reg, name, specializations, description)`),
  },
  (t) => [
    uniqueIndex('agents_reg').on(t.reg.op('text_pattern_ops')),
    index('agents_operator').on(t.operator_id, t.registered_at, t.id),
    index('agents_operator_domains')
      .on(t.operator_id, t.domain)
      .where(sql`${t.domain} is not null and ${t.status} = 'active'`),
    index('agents_platform')
      .on(t.platform_id, t.platform_state, t.platform_since, t.id)
      .where(sql`${t.platform_id} is not null`),
    index('agents_leaving').on(t.platform_leaves_at).where(sql`${t.platform_leaves_at} is not null`),
    index('agents_domain').on(t.domain).where(sql`${t.domain} is not null`),
    index('agents_search').using('gin', t.search),
    index('agents_name_trigrams').using('gin', t.name.op('gin_trgm_ops')),
    index('agents_specializations').using('gin', t.specializations),
    index('agents_class').on(t.class, t.id),
    index('agents_deactivated').on(t.id).where(sql`${t.status} = 'deactivated'`),
    index('agents_verified').on(t.id).where(sql`${t.ownership_status} = 'verified'`),
    check('agents_domain_verified', sql`${t.domain} is null or ${t.ownership_status} = 'verified'`),
    check('agents_platform_state', sql`(${t.platform_id} is null) = (${t.platform_state} is null)`),
  ],
)

/** Agents that a platform has removed: for a time they cannot claim it again. */
export const platform_removals = pgTable(
  'platform_removals',
  {
    agent_id: uuid()
      .notNull()
      .references(() => agents.id),
    platform_id: uuid()
      .notNull()
      .references(() => platforms.id),
    removed_at: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.agent_id, t.platform_id] })],
)

/** What events and snapshots move: narrow, so that its updates stay on the page (fill factor in the migration). */
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
    lifecycle_state: text({ enum: LIFECYCLE_STATES }),
    lifecycle_since: instant(),
    deactivated: boolean().notNull().default(false),
    unscored_since: instant(),
    score_revision: integer().notNull().default(0),
    /** The UTC day of the last snapshot; null when there is nothing to compute any more. */
    scored_day: date({ mode: 'string' }),
    /** How many thresholds the score stands above: 0 to 3. */
    trust_level: smallint().notNull().default(0),
    trust_score_overall: numeric({ precision: 4, scale: 1 }),
    trust_score_updated: instant(),
    /** The UTC day of the last report, and what came on it, with bytes of metadata: by its operator's keys, by others'. */
    reported_day: date({ mode: 'string' }),
    own_events: integer().notNull().default(0),
    own_bytes: bigint({ mode: 'number' }).notNull().default(0),
    platform_events: integer().notNull().default(0),
    platform_bytes: bigint({ mode: 'number' }).notNull().default(0),
    /** The UTC minute of the last incident, and how many came in it; critical ones are counted apart. */
    incident_minute: instant(),
    minute_incidents: smallint().notNull().default(0),
    minute_criticals: smallint().notNull().default(0),
    /** The last event in the transparency log, and since when there are later ones. */
    logged_events: bigint({ mode: 'number' }).notNull().default(0),
    unlogged_since: instant(),
  },
  (t) => [
    // Ids are UUIDv7: their order is that of registration.
    index('agent_stats_ranking').on(
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
    operator_id: uuid()
      .notNull()
      .references(() => operators.id),
    /** A platform's own key; its operator is the one who registered the platform. */
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

/** A type of the database, for its order: rollup rows of a day are read in it. */
export const report_source = pgEnum('report_source', SOURCES)

/**
 * The immutable log. No foreign key: the statement that inserts has locked the agent's row. Each index is paid by every
 * event: a time is found along `seq` (the function first_seq), an id by the pages that were written around its moment.
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
    /** Whose word it is, decided as the event came: what is found out later changes nothing. */
    source: report_source().notNull().default('self'),
    created_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.agent_id, t.seq] }),
    index('activity_events_agent_type').on(t.agent_id, t.event_type, t.seq),
    index('activity_events_id').using('brin', t.id).with({ autosummarize: true }),
    check('activity_events_metadata', sql`octet_length(${t.metadata}::text) <= 20000`),
  ],
)

/** Events whose metadata is hidden, for good; the row of the log and its place stay. */
export const redactions = pgTable(
  'redactions',
  {
    event_id: uuid().primaryKey(),
    agent_id: uuid()
      .notNull()
      .references(() => agents.id),
    reason: text({ enum: REDACTION_REASONS }).notNull(),
    redacted_at: instant().notNull(),
    /** What the event adds to its rollup row, and, once it is erased, its commitment in the log. */
    metadata_commitment: text(),
    added: jsonb().$type<Record<string, number>>().notNull(),
    erased_at: instant(),
  },
  (t) => [index('redactions_agent').on(t.agent_id)],
)

const counter = () => bigint({ mode: 'number' }).notNull().default(0)

/** One row per agent, UTC day and source of its events; every field is only ever added to. */
export const agent_evidence = pgTable(
  'agent_evidence',
  {
    agent_id: uuid().notNull(),
    day: date({ mode: 'string' }).notNull(),
    source: report_source().notNull(),
    ...eachField(counter),
    /** The row as `readRows` takes it: a trigger prints it, as to print it for each reader costs more than all else. */
    printed: text().notNull().default(''),
  },
  (t) => [primaryKey({ columns: [t.agent_id, t.day, t.source] })],
)

const score = () => numeric({ precision: 4, scale: 1, mode: 'number' }).notNull()

/** One row per agent and UTC day: replaced until midnight, final after. */
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
    agent_id: uuid()
      .notNull()
      .references(() => agents.id),
    event_id: uuid().notNull(),
    title: text().notNull(),
    description: text().notNull(),
    severity: text({ enum: SEVERITIES }).notNull(),
    status: text({ enum: INCIDENT_STATUSES }).notNull().default('open'),
    created_at: instant().notNull(),
    resolution: text(),
    resolved_at: instant(),
    /** Its event is redacted: its texts are the default ones, and a resolution is not kept. */
    redacted: boolean().notNull().default(false),
  },
  (t) => [
    index('incidents_agent').on(t.agent_id, t.created_at),
    index('incidents_status').on(t.agent_id, t.status, t.created_at, t.id),
    index('incidents_resolved').on(t.agent_id, t.resolved_at).where(sql`${t.resolved_at} is not null`),
  ],
)

/** Proofs that an agent's operator holds a domain: asked for, then looked up, then looked up again every week. */
export const ownership_challenges = pgTable(
  'ownership_challenges',
  {
    id: uuid().primaryKey(),
    agent_id: uuid()
      .notNull()
      .references(() => agents.id),
    domain: text().notNull(),
    method: text({ enum: OWNERSHIP_METHODS }).notNull(),
    token: text().notNull(),
    created_at: instant().notNull(),
    expires_at: instant().notNull(),
    verified_at: instant(),
    /** The last check that gave a response, and how many since the last proof have missed it. */
    checked_at: instant(),
    misses: smallint().notNull().default(0),
    /** What the last check found instead of the proof, while it is pending. */
    finding: text(),
    /** When another proof took its place, it was missed three times, or its operator canceled it. */
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

/** The checks of operators at the identity provider; of each operator one may be pending. */
export const kyc_checks = pgTable(
  'kyc_checks',
  {
    id: uuid().primaryKey(),
    operator_id: uuid()
      .notNull()
      .references(() => operators.id),
    provider: text({ enum: KYC_PROVIDERS }).notNull(),
    provider_session_id: text().notNull(),
    status: text({ enum: KYC_CHECK_STATUSES }).notNull(),
    /** The operator's status before it, to which a cancelled check returns. */
    previous_status: text({ enum: ['unverified', 'verified', 'failed', 'expired'] }).notNull(),
    created_at: instant().notNull(),
    completed_at: instant(),
    reason: text(),
    /** The webhook that ended it; null while pending, and when we learnt of the end by asking. */
    provider_event_id: text(),
    /** The last reminder of the end of its verification: days before. */
    reminded_days: smallint(),
  },
  (t) => [
    uniqueIndex('kyc_checks_session').on(t.provider_session_id),
    uniqueIndex('kyc_checks_event').on(t.provider_event_id),
    uniqueIndex('kyc_checks_pending').on(t.operator_id).where(sql`${t.status} = 'pending'`),
    index('kyc_checks_operator').on(t.operator_id, t.created_at),
  ],
)

/** The outbox: written by the statement that changes the state it tells of. */
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
    platform_id: uuid()
      .notNull()
      .references(() => platforms.id),
    /** That of its event: lists by a rare type are a range. */
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
    index('webhook_deliveries_due').on(t.next_attempt_at).where(sql`${t.status} = 'pending'`),
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

/** One row per attempt, made by its claim; without an outcome it is under way or was cut off. */
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

/** First responses of requests with an Idempotency-Key: repeated for 24 hours. */
export const idempotency_keys = pgTable(
  'idempotency_keys',
  {
    /** SHA-256 of caller, method, path and key. */
    scope: text().primaryKey(),
    body_sha256: text().notNull(),
    answer: jsonb().$type<Record<string, unknown>>().notNull(),
    created_at: instant().notNull(),
  },
  (t) => [index('idempotency_keys_created').on(t.created_at)],
)

/** What was done to an operator's account; written by the statement that does it. */
export const audit_log = pgTable(
  'audit_log',
  {
    id: uuid().primaryKey(),
    operator_id: uuid()
      .notNull()
      .references(() => operators.id),
    action: text().notNull(),
    target: text(),
    created_at: instant().notNull(),
  },
  (t) => [index('audit_log_operator').on(t.operator_id, t.created_at)],
)

/** Portions of key usage that were added from Redis: each counts once, also when a fold is cut off and repeated. */
export const usage_folds = pgTable('usage_folds', {
  id: uuid().primaryKey(),
  folded_at: instant().notNull(),
})

export const notifications = pgTable(
  'notifications',
  {
    id: uuid().primaryKey(),
    operator_id: uuid()
      .notNull()
      .references(() => operators.id),
    type: text({
      enum: NOTIFICATION_TYPES,
    }).notNull(),
    title: text().notNull(),
    body: text().notNull(),
    reg: text(),
    /** The incident that an alert is of. */
    incident_id: uuid(),
    read_at: instant(),
    created_at: instant().notNull(),
  },
  (t) => [
    index('notifications_operator').on(t.operator_id, t.created_at),
    index('notifications_created').on(t.created_at),
    index('notifications_incident').on(t.incident_id).where(sql`${t.incident_id} is not null`),
    /** One for each agent and UTC day. */
    uniqueIndex('notifications_trust_alert')
      .on(t.reg, sql`(((${t.created_at}) at time zone 'utc')::date)`)
      .where(sql`${t.type} = 'trust_alert'`),
    index('notifications_unread').on(t.operator_id).where(sql`${t.read_at} is null`),
  ],
)

/** The notifications that are mailed, each by its id, which is the mail's: its texts are read as it is sent. */
export const mails = pgTable(
  'mails',
  {
    id: uuid()
      .primaryKey()
      .references(() => notifications.id, { onDelete: 'cascade' }),
    operator_id: uuid()
      .notNull()
      .references(() => operators.id),
    type: text({ enum: NOTIFICATION_TYPES }).notNull(),
    reg: text(),
    status: text({ enum: MAIL_STATUSES }).notNull().default('pending'),
    attempts: smallint().notNull().default(0),
    lease_until: instant(),
    next_attempt_at: instant(),
    published_at: instant(),
    publish_count: smallint().notNull().default(0),
    created_at: instant().notNull(),
    sent_at: instant(),
    /** Why it is not sent: a word of ours, or the provider's name of its error. */
    error: text(),
  },
  (t) => [
    index('mails_operator').on(t.operator_id, t.created_at),
    index('mails_pending').on(t.next_attempt_at).where(sql`${t.status} = 'pending'`),
    index('mails_created').on(t.created_at),
  ],
)

// Generated from the OpenAPI document by `npm run client:generate`; do not edit.

export interface paths {
    "/activity/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an activity event of an agent
         * @description What is stored is permanent, and the 50 newest events of an agent are public with their metadata. `task_completed` and `task_failed` move the trust score, `incident` opens an incident. Of an agent and UTC day a tier has ceilings of events and of bytes of metadata: then 429 until the day ends.
         */
        post: operations["reportActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activity/report/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report up to 1000 activity events, each judged on its own
         * @description The envelope is judged first: when it is malformed nothing is stored. Then each event is judged on its own, in the order of the request. The events of an agent have one fate where its state decides, or a ceiling of the UTC day: then each of them is a result with 429. What is stored is permanent, and the 50 newest events of an agent are public with their metadata.
         */
        post: operations["reportActivityBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register an agent; it receives a permanent number
         * @description The number is never given to another agent, and the profile shows `operator_id`, which links all agents of an operator in public, permanently: register under an account that may be known to answer for all of them. With an `Idempotency-Key` a repeated call registers nothing twice. On a platform of your own the agent is `confirmed` at once, on another it is `claimed` until the platform confirms it. 409 when the platform takes no agents: it is retired, or its operator is suspended. A tier also has a ceiling of registrations a UTC day, which deactivations do not give back: then 429 until it ends.
         */
        post: operations["registerAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The public profile of an agent */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change texts, links or platform of an agent, or deactivate it permanently
         * @description Deactivation is final: the agent takes no more events and no longer counts towards the limit of the tier. `platform_slug` moves the agent: at once when it is on no platform, or on a retired one; else it leaves after 7 days (`platform_leaves_at`), and until then its platform reports as before. The platform that it is on cancels that. Whether the other platform takes it is judged now and again when it leaves: 409 when that is retired, its operator is suspended, or it has removed the agent in the last 30 days.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/agents/{reg}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Activity of an agent, newest first: its 50 newest events, or all of them for its operator
         * @description Without a credential, filters and pages work inside the 50 newest events: these are public with their metadata. The operator of the agent sees the whole log, with a session or a key that may `read`, and may page through it by `cursor`. A page is smaller than 1 MB. Metadata are `{}` to everybody where they are redacted, and to the public where the operator is suspended.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Incidents of an agent, newest first
         * @description An event of the type `incident` opens one, with the `title` and `description` of its metadata; its operator resolves it. Of a redacted event, and of a suspended operator, the texts are default ones.
         */
        get: operations["listIncidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}/log-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An agent's leaves in the transparency log
         * @description What the log holds of an agent, in the order of the log, as far as its newest signed head covers it. Leaves say that something was recorded; what it was, an opening shows: to the operator of all, to its platform of the events since the agent joined, to everybody of the 50 newest events, of incidents, and of the agent as it is now. Tiles, proofs and the head are at /log.
         */
        get: operations["listLogEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}/ownership/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask what to publish to prove that the operator of an agent holds a domain
         * @description Publish the answer as it is, then verify, within 7 days. A new challenge takes the place of the one before; a domain that is verified stays so until another one is.
         */
        post: operations["challengeOwnership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}/ownership/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look for the published proof of an agent
         * @description Without a pending challenge, the answer is that of the domain verified before, or 409 `CONFLICT`. When the proof is not found it is 409 too, and the message says what was. Leave it published: it is looked up again every week, and after three misses in a row the agent is unverified.
         */
        post: operations["verifyOwnership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}/trust-score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The trust score of an agent, computed at the moment of the question
         * @description An agent with fewer than 10 tasks in the window has no score yet: the answer then has `status: insufficient_data`.
         */
        get: operations["getTrustScore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}/trust-score/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Past trust scores of an agent, newest first: at most one for each UTC day */
        get: operations["listTrustScores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}/trust-score/inputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the trust score of an agent is computed from, so that anybody can compute it again
         * @description With `date`, the window as it was at the end of that day; a finished day changes no more. The command `npm run trust:verify` does the computation.
         */
        get: operations["getTrustInputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search agents by text and filters
         * @description With `q`: best match first, then by trust. Without: by trust, then newest first. Deactivated agents come last. Up to 10,000 results are counted and can be paged through.
         */
        get: operations["searchAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The return from the identity provider: opens a session
         * @description The identity provider sends the browser here after the link in the e-mail was opened. The first sign-in of an address creates its operator. A browser (`Accept` prefers `text/html`) is shown a page that leads to the console, and gets its session as a cookie for 12 hours; the token is not shown.
         */
        get: operations["finishSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign out: ends this session */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The operator's live sessions, newest first
         * @description A tier allows 20 or 50 live sessions: a sign-in beyond that ends the oldest one, which the audit log names.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere: ends all the operator's sessions, this one too
         * @description For a token that may have been seen by others. No call that begins after this response is let in with any of the tokens; API keys go on. With `keep_current=true` the session of this call stays.
         */
        delete: operations["endAllSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session of the operator, this one or another
         * @description No call that begins after this answer is let in with its token. For a session that is over already the answer is the same.
         */
        delete: operations["endOneSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin a sign-in: redirects the browser to the identity provider, which e-mails a magic link
         * @description Open it in a browser, or follow the redirects and keep the cookie: the way back through `/auth/callback` needs it. A browser (`Accept` prefers `text/html`) is shown refusals as a page, with the same status and headers.
         */
        get: operations["beginSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The types of events that platforms receive, each with the JSON Schema of its envelope and an example
         * @description Schemas are JSON Schema, draft 2020-12, of the whole body of a webhook. They are open: a field may be added, so receivers ignore what they do not know.
         */
        get: operations["listEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve an incident
         * @description An incident is resolved once: a second call gets the same answer, with the resolution of the first. What happened stays in the log and in the trust score. Of a redacted incident the resolution is not kept.
         */
        post: operations["resolveIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who answers for an agent: the public record of an operator, by its permanent id
         * @description The `operator_id` of profiles and verifications leads here; `GET /agents/search?operator=` lists its agents. Each field says what was checked and what was not.
         */
        get: operations["getPublicOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The signed-in operator */
        get: operations["getOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the signed-in operator
         * @description Fields that are not given stay as they are; `notification_prefs` are merged. Another `name` is not verified: a verified one is lost by any change, and comes back with the next identity check whose document bears it. The audit log names what was changed.
         */
        patch: operations["updateOperator"];
        trace?: never;
    };
    "/operators/me/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The operator's agents, newest first */
        get: operations["listOwnAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The API keys of the operator, newest first, revoked ones too; never a full key */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key; the full key is shown this once
         * @description Only a salted hash of the key is kept: whoever loses it has to create another. Ten calls a minute; 409 when there are as many live keys, those of platforms included, as the tier allows: revoked and expired ones do not count.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key permanently
         * @description No call that begins after this answer is let in with the key. A second revocation answers the same.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Change a key's name or its limit
         * @description The highest limit depends on the tier: free 60, pro 600, business 3,000, enterprise 10,000 calls a minute.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/operators/me/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was done to the operator's account that matters for its security, newest first
         * @description Sign-ins and sign-outs, keys, platforms, their secrets and their agents, deactivations, proofs of domains, changes of the own record, identity checks, suspensions, tiers and redactions.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sums over all agents of the operator */
        get: operations["getDashboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/kyc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far the operator is verified, and its checks */
        get: operations["getKyc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/kyc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a check, or get the address of the one under way
         * @description One check at a time: within 24 hours the same one is answered, unless it has failed or was cancelled. A verified operator may start again 30 days before the end; until then it is 409 `CONFLICT`.
         */
        post: operations["startKyc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/mail/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail the signed-in operator again whose address was refused
         * @description A sign-in with another address does the same. What was not mailed meanwhile stays in the list of notifications.
         */
        post: operations["resumeMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The operator's notifications, newest first */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/notifications/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark a notification as read; a second time changes nothing */
        post: operations["readNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/notifications/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark all notifications as read */
        post: operations["readAllNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The operator's platforms with the state of their webhooks, newest first */
        get: operations["listPlatforms"];
        put?: never;
        /**
         * Register a platform; its webhook secret is shown this once
         * @description Webhooks are signed with the secret of this answer: `X-REG-Signature` is `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in hex.
         */
        post: operations["registerPlatform"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A platform: its name, status and admission for anybody, and all but its secret for its operator
         * @description The operator who registered the platform sees the whole of it with a session. Everybody else, and any API key, sees its public part.
         */
        get: operations["getPlatform"];
        put?: never;
        post?: never;
        /**
         * Retire a platform, permanently
         * @description Its API keys are revoked, no webhook is sent any more (waiting deliveries become `skipped`, at the latest when they are due), and it takes no agents. Its agents stay on it, shown with `platform_state: "retired"`, and may leave at once. The slug stays taken. A second call answers the same.
         */
        delete: operations["retirePlatform"];
        options?: never;
        head?: never;
        /**
         * Change a platform, or enable its webhook again
         * @description A URL holds from the next attempt of each delivery, types and admission from the next event. Enabling a webhook, or giving it another URL, sets its failures to zero; what was skipped meanwhile stays so. 409 once the platform is retired.
         */
        patch: operations["updatePlatform"];
        trace?: never;
    };
    "/platforms/{slug}/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The agents on a platform of one's own, those that joined last first
         * @description Whoever registers an agent may name any platform: `claimed` means that nobody but its operator says so. `total` is exact to 10,000, and pages end there.
         */
        get: operations["listPlatformAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/agents/{reg}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an agent from the platform, at once and for 30 days at least
         * @description Also one that was confirmed. The operator of the agent is notified; where it has asked to move, the agent joins that other platform now. A second call answers the same. 409 once the platform is retired: its agents leave as they like.
         */
        delete: operations["removePlatformAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/agents/{reg}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that an agent is known to be on the platform
         * @description Everybody sees it as `platform_state: "confirmed"`. A second call answers the same. 409 once the platform is retired.
         */
        post: operations["confirmPlatformAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The API keys of a platform of one's own, newest first, revoked ones too; never a full key */
        get: operations["listPlatformApiKeys"];
        put?: never;
        /**
         * Create an API key of a platform; the full key is shown this once
         * @description It acts for the platform: with `activity:report` it reports for the agents that are registered on the platform, with `read` it sees what was reported since they joined. Under `admission: approval` both need the agent to be confirmed. Whoever registered the platform answers for it, and its key counts among theirs.
         */
        post: operations["createPlatformApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a platform's API key permanently
         * @description No call that begins after this answer is let in with the key. A second revocation answers the same.
         */
        delete: operations["revokePlatformApiKey"];
        options?: never;
        head?: never;
        /**
         * Change the name or the limit of a platform's key
         * @description The highest limit is that of your tier, as for keys of your own.
         */
        patch: operations["updatePlatformApiKey"];
        trace?: never;
    };
    "/platforms/{slug}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhook deliveries to one's own platform, newest first
         * @description Deliveries are kept for 30 days. `total` is exact to 10,000, and pages end there.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A delivery with its payload, as it is sent, and every attempt */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver an event again, as a new delivery with the same event id
         * @description 409 while the webhook is disabled or has no URL, once the platform is retired, and while a delivery of the event is pending: that one is still going to be made, and `retry-now` makes it at once.
         */
        post: operations["redeliverEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/deliveries/{id}/retry-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the attempt that a pending delivery waits for now, not when it is due
         * @description It stays the same attempt of five, and the one after it is due as long after it as ever. To ask again changes nothing. 409 when the delivery is not pending, while an attempt is under way, and while the webhook is disabled or has no URL.
         */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/deliveries/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver again whatever has failed or was skipped since a time, at most 10,000 events
         * @description Each event once, the oldest first. Events that have a newer delivery which is pending or was made are left out, so a second call doubles nothing. 409 while the webhook is disabled or has no URL, once the platform is retired.
         */
        post: operations["recoverDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange the webhook secret; the new one is shown this once
         * @description For 24 hours `webhook-signature` carries a value of the previous secret too; `X-REG-Signature` is made with the new one at once. A second exchange within that time ends the oldest secret.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/webhook-test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the example event of a type to the webhook, marked `"test": true` in its data
         * @description Whatever `event_types` says. It is signed, sent and retried as any other. 409 while the webhook is disabled or has no URL, once the platform is retired.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify/{reg}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Quick verification: is this agent registered and active, and how far can it be trusted */
        get: operations["verifyAgent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify/{reg}/full": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Full verification: the quick one with the numbers behind it */
        get: operations["verifyAgentFully"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify/{reg}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verification token: the quick verification, signed for 15 minutes
         * @description It does not prove that whoever shows it is that agent: anybody can fetch it. It states facts about an agent number that can be checked without asking this service, by the keys at `/.well-known/jwks.json`. The token of an agent that is deactivated, or whose operator is suspended, says so. Responses of one minute are the same but for their signature. A registry that signs no tokens answers 404 for every number.
         */
        get: operations["getVerificationToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActivityEvent: {
            /** Format: uuid */
            agent_id: string;
            /** Format: date-time */
            created_at: string;
            event_type: string;
            /** Format: uuid */
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            redacted?: components["schemas"]["Redaction"];
            /** @enum {string} */
            reported_by: "operator" | "platform";
            /** @enum {string} */
            severity: "info" | "warning" | "error" | "critical";
            /**
             * @description Whose word it is, decided as the event came. self: that of the agent's operator, or of whoever may be the same person; peer: that of a platform of another operator, when identity checks have told that two different persons stand behind the two; independent: that of such a platform with which several verified operators have worked, and which is not distrusted
             * @enum {string}
             */
            source: "self" | "peer" | "independent";
        };
        ActivityInput: {
            /** @description task_completed, task_failed, error, incident, startup, shutdown, or one of your own */
            event_type: string;
            /** @description At most 16 KB and 10 levels. Public and permanent: anybody reads the 50 newest events of an agent, so put no secret and nothing personal into it. Numbers are read as IEEE 754 doubles: at most 9007199254740991 from 0 and no fraction nearer to it than 1e-7; send others as text. `response_ms` and `quality` (0 to 1) count for the trust score */
            metadata?: {
                [key: string]: unknown;
            } | null;
            reg: string;
            /** @enum {string|null} */
            severity?: "info" | "warning" | "error" | "critical" | null;
        };
        ActivityPage: {
            data: components["schemas"]["ListedActivityEvent"][];
            /** @description Only where cursor was given */
            next_cursor?: string | null;
            /**
             * @description Only where metadata are hidden because the operator is suspended
             * @enum {string}
             */
            operator_status?: "suspended";
            pagination: components["schemas"]["Pagination"];
        };
        Agent: {
            /** @description What its operator says; what stands there was never looked at */
            card_url: string | null;
            /**
             * @description A autonomous, S semi-autonomous, H human-assisted; what its operator says; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description What its operator says; not checked */
            description: string;
            /** @description The domain that the operator has proved to hold, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description What its operator says; what stands there was never looked at */
            homepage_url: string | null;
            /** Format: uuid */
            id: string;
            incident_count: number;
            /** @description What its operator says; not checked */
            name: string;
            /** @description Where it goes when it leaves; null: nowhere */
            next_platform_slug: string | null;
            /** @description Which links nobody but you sees, and why: `no_domain` (none is proved), `other_domain` (the host is neither the proved domain nor below it) */
            not_public: {
                /** @enum {string} */
                card_url?: "no_domain" | "other_domain";
                /** @enum {string} */
                homepage_url?: "no_domain" | "other_domain";
            };
            /**
             * @description verified: the operator has proved that it holds `domain`; looked up again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /**
             * Format: date-time
             * @description When the agent leaves its platform, as its operator has asked
             */
            platform_leaves_at: string | null;
            /** @description The operator's claim, unless `platform_state` is `confirmed` */
            platform_name: string | null;
            /** @description The operator's claim, unless `platform_state` is `confirmed` */
            platform_slug: string | null;
            /**
             * @description claimed: the operator of the agent says that it is on the platform. confirmed: the platform says so too. retired: the platform is no more
             * @enum {string|null}
             */
            platform_state: "claimed" | "confirmed" | "retired" | null;
            reg: string;
            /** Format: date-time */
            registered_at: string;
            /** @description What its operator says; not checked */
            specializations: string[];
            /** @enum {string} */
            status: "active" | "deactivated";
            tasks_completed: number;
            tasks_failed: number;
            trust_score_overall: string | null;
        };
        /** @description At least one field; null empties all but name and status */
        AgentChanges: {
            /**
             * Format: uri
             * @description The agent's card, for other programs. https. Everybody sees it while its host is the proved domain or below it, until then you alone; never fetched
             */
            card_url?: string | null;
            description?: string | null;
            /**
             * Format: uri
             * @description A page about the agent. https. Everybody sees it while its host is the proved domain or below it, until then you alone; never fetched
             */
            homepage_url?: string | null;
            name?: string;
            /** @description Another platform, or null to leave; from a platform the agent goes after 7 days. Until the platform confirms it, this is shown as a claim */
            platform_slug?: string | null;
            /** @description Tags */
            specializations?: string[] | null;
            /** @enum {string} */
            status?: "deactivated";
        };
        AgentInput: {
            /**
             * Format: uri
             * @description The agent's card, for other programs. https. Everybody sees it while its host is the proved domain or below it, until then you alone; never fetched
             */
            card_url?: string | null;
            /**
             * @description A autonomous, S semi-autonomous, H human-assisted
             * @enum {string}
             */
            class: "A" | "S" | "H";
            description?: string | null;
            /**
             * Format: uri
             * @description A page about the agent. https. Everybody sees it while its host is the proved domain or below it, until then you alone; never fetched
             */
            homepage_url?: string | null;
            name: string;
            /** @description The platform that the agent works on. Until the platform confirms it, this is shown as a claim */
            platform_slug?: string | null;
            /** @description Tags */
            specializations?: string[] | null;
        };
        AgentProfile: {
            avg_response_ms: number | null;
            /** @description What its operator says; what stands there was never looked at. Shown while its host is `domain` or below it, else null */
            card_url: string | null;
            /**
             * @description A autonomous, S semi-autonomous, H human-assisted; what its operator says; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description What its operator says; not checked */
            description: string;
            /** @description The domain that the operator has proved to hold, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description What its operator says; what stands there was never looked at. Shown while its host is `domain` or below it, else null */
            homepage_url: string | null;
            incident_count: number;
            /** Format: date-time */
            last_active_at: string | null;
            /** @description What its operator says; not checked */
            name: string;
            /**
             * Format: date-time
             * @description The last change of the name; null if never
             */
            name_changed_at: string | null;
            /**
             * Format: uuid
             * @description Permanent and public: the same on all agents of an operator, which it links for good
             */
            operator_id: string;
            /**
             * @description `verified`: a person behind this account showed an identity document to Stripe Identity within the last 365 days. Nothing is said of who that is, nor of the name, nor of a company
             * @enum {string}
             */
            operator_kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description What the operator calls itself: a claim, unless its name is verified */
            operator_name: string;
            /** @description True when an identity document that a person behind this account has shown bears this very name. False says that this was not found, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description `suspended`: the service refuses this operator; its agents stay public
             * @enum {string}
             */
            operator_status: "active" | "suspended";
            /**
             * @description verified: the operator has proved that it holds `domain`; looked up again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /** Format: date-time */
            ownership_verified_at: string | null;
            /**
             * Format: date-time
             * @description When the agent leaves its platform, as its operator has asked
             */
            platform_leaves_at: string | null;
            /** @description The operator's claim, unless `platform_state` is `confirmed` */
            platform_name: string | null;
            /**
             * Format: date-time
             * @description When the agent joined its platform
             */
            platform_since: string | null;
            /** @description The operator's claim, unless `platform_state` is `confirmed` */
            platform_slug: string | null;
            /**
             * @description claimed: the operator of the agent says that it is on the platform. confirmed: the platform says so too. retired: the platform is no more
             * @enum {string|null}
             */
            platform_state: "claimed" | "confirmed" | "retired" | null;
            reg: string;
            /** Format: date-time */
            registered_at: string;
            /** @description What its operator says; not checked */
            specializations: string[];
            /** @enum {string} */
            status: "active" | "deactivated";
            /** @description Percent of all tasks */
            success_rate: string | null;
            tasks_completed: number;
            tasks_failed: number;
            trust_score_overall: string | null;
            /** Format: date-time */
            trust_score_updated: string | null;
        };
        ApiKey: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            key_prefix: string;
            /** Format: date-time */
            last_used_at: string | null;
            name: string;
            permissions: ("read" | "write" | "activity:report")[];
            /** @description Not above the maximum of your tier, as it is now */
            rate_limit_per_minute: number;
            requests_count: number;
            /** Format: date-time */
            revoked_at: string | null;
            /** @enum {string} */
            status: "active" | "revoked";
        };
        /** @description At least one field */
        ApiKeyChanges: {
            name?: string;
            /** @description Up to the maximum of your tier */
            rate_limit_per_minute?: number;
        };
        ApiKeyCreated: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            key: string;
            key_prefix: string;
            name: string;
            permissions: ("read" | "write" | "activity:report")[];
            /** @description Not above the maximum of your tier, as it is now */
            rate_limit_per_minute: number;
        };
        ApiKeyInput: {
            /**
             * Format: date-time
             * @description In the future; never, when left out
             */
            expires_at?: string | null;
            name: string;
            /**
             * @default [
             *       "read"
             *     ]
             */
            permissions?: ("read" | "write" | "activity:report")[];
        };
        ApiKeyRevoked: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            revoked_at: string;
            /** @enum {string} */
            status: "revoked";
        };
        AuditEntry: {
            /** @description What was done: the kind of thing, a dot, and the deed; more may be added */
            action: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @description To what: an agent number, the slug of a platform, both with a slash between them, the id of a key, a session, a check or an event, a tier, the names of changed fields */
            target: string | null;
        };
        AuditPage: {
            data: components["schemas"]["AuditEntry"][];
            pagination: components["schemas"]["Pagination"];
        };
        BatchAnswer: {
            accepted: number;
            data: ({
                event: components["schemas"]["ActivityEvent"];
                index: number;
                /** @enum {number} */
                status: 201;
                /** @description What was probably not meant, at most five; the event is stored as it was sent */
                warnings?: components["schemas"]["ReportWarning"][];
            } | {
                error: {
                    code: string;
                    message: string;
                    status: number;
                };
                index: number;
                status: number;
            })[];
            rejected: number;
        };
        BatchInput: {
            events: components["schemas"]["ActivityInput"][];
        };
        ChallengeInput: {
            /** @description A public domain name, without scheme, port or path */
            domain: string;
            /**
             * @description dns: a TXT record; http: a file of the web site
             * @enum {string}
             */
            method: "dns" | "http";
        };
        Dashboard: {
            active_agent_count: number;
            active_api_keys: number;
            agent_count: number;
            /** @description Mean of the scores of the active agents, as their profiles show them; of more than 500 whose scores are being computed, the rest count with those of the last minute or day */
            average_trust_score: number | null;
            incident_count: number;
            open_incident_count: number;
            success_rate: string | null;
            tasks_completed: number;
            tasks_failed: number;
            total_tasks: number;
        };
        Delivery: {
            attempts: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            delivered_at: string | null;
            event_id: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description While it is pending
             */
            next_attempt_at: string | null;
            /**
             * @description skipped: the webhook was disabled or had no URL, the platform was retired, or its operator suspended
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "skipped";
            /** @enum {string} */
            type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
        };
        DeliveryDetail: {
            attempt_log: {
                duration_ms: number | null;
                /** @description Why there was no answer */
                error: string | null;
                number: number;
                /** @description How the answer began: at most 2 KB */
                response_excerpt: string | null;
                response_status: number | null;
                /** Format: date-time */
                started_at: string;
            }[];
            attempts: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            delivered_at: string | null;
            event_id: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description While it is pending
             */
            next_attempt_at: string | null;
            payload: components["schemas"]["WebhookEvent"];
            /**
             * @description skipped: the webhook was disabled or had no URL, the platform was retired, or its operator suspended
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "skipped";
            /** @enum {string} */
            type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            pagination: components["schemas"]["Pagination"];
        };
        EventTypeList: {
            data: {
                description: string;
                /** @description JSON Schema, draft 2020-12, of the envelope */
                schema: {
                    [key: string]: unknown;
                };
                /** @enum {string} */
                type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
            }[];
        };
        ExplainedDimension: {
            /** @description Bad evidence, in tasks */
            bad: number;
            /** @description How far points above 50 count */
            confidence: number;
            /** @description Good evidence, in tasks */
            good: number;
            /**
             * @description The lowest reading, which these are of: task by task, day by day, the last fortnight, or the ceiling of a critical event
             * @enum {string}
             */
            reading: "tasks" | "days" | "fortnight" | "ceiling";
        };
        ExplainedTrustScore: {
            /** @description How right the outputs were */
            accuracy: number;
            algorithm_version: string;
            computation_window_days: number;
            /** Format: date-time */
            computed_at: string;
            /** @description How far points above 50 count, from 0 to 1 */
            confidence: number;
            /** @description How few and how mild the bad days are */
            consistency: number;
            /** @description What each dimension was computed from */
            dimensions: {
                accuracy: components["schemas"]["ExplainedDimension"];
                consistency: components["schemas"]["ExplainedDimension"];
                reliability: components["schemas"]["ExplainedDimension"];
                safety: components["schemas"]["ExplainedDimension"];
                speed: components["schemas"]["ExplainedDimension"];
            };
            /** @description Events in the window */
            events_considered: number;
            /** @description Whose word the events of the window are; the shares add up to 1 */
            evidence: {
                /** @description that of such a platform with which several verified operators have worked, and which is not distrusted */
                independent: number;
                /** @description that of a platform of another operator, when identity checks have told that two different persons stand behind the two */
                peer: number;
                /** @description that of the agent's operator, or of whoever may be the same person */
                self: number;
            };
            /** @description The weighted sum of the five */
            overall: number;
            /** @description The record is too short for points above 50 to count in full: confidence is below 1 */
            provisional: boolean;
            reg: string;
            /** @description Tasks that were completed, less time down */
            reliability: number;
            /** @description What to beware of; empty when there is nothing */
            risk_factors: components["schemas"]["RiskFactor"][];
            /** @description How few and how mild the faults were: incidents and `error` events */
            safety: number;
            /** @description Response times */
            speed: number;
            /** @description Shares of the dimensions in overall; they add up to 1 */
            weights: {
                accuracy: number;
                consistency: number;
                reliability: number;
                safety: number;
                speed: number;
            };
        };
        FullVerification: {
            accuracy: number | null;
            active: boolean;
            /** Format: date-time */
            checked_at: string;
            /**
             * @description What its operator says; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            consistency: number | null;
            /** @description The domain that the operator has proved to hold, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            events_considered: number;
            incident_count: number;
            /** Format: date-time */
            last_active_at: string | null;
            /** @description What its operator says; not checked */
            name: string;
            /**
             * Format: date-time
             * @description The last change of the name; null if never
             */
            name_changed_at: string | null;
            open_incident_count: number;
            /**
             * Format: uuid
             * @description Permanent and public: the same on all agents of an operator, which it links for good
             */
            operator_id: string;
            /**
             * @description `verified`: a person behind this account showed an identity document to Stripe Identity within the last 365 days. Nothing is said of who that is, nor of the name, nor of a company
             * @enum {string}
             */
            operator_kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description What the operator calls itself: a claim, unless its name is verified */
            operator_name: string;
            /** @description True when an identity document that a person behind this account has shown bears this very name. False says that this was not found, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description `suspended`: the service refuses this operator; its agents stay public
             * @enum {string}
             */
            operator_status: "active" | "suspended";
            overall: number | null;
            /**
             * @description verified: the operator has proved that it holds `domain`; looked up again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /** @description The operator's claim, unless `platform_state` is `confirmed` */
            platform_name: string | null;
            /** @description The operator's claim, unless `platform_state` is `confirmed` */
            platform_slug: string | null;
            /**
             * @description claimed: the operator of the agent says that it is on the platform. confirmed: the platform says so too. retired: the platform is no more
             * @enum {string|null}
             */
            platform_state: "claimed" | "confirmed" | "retired" | null;
            reg: string;
            /** @enum {boolean} */
            registered: true;
            /** Format: date-time */
            registered_at: string;
            reliability: number | null;
            safety: number | null;
            speed: number | null;
            tasks_completed: number;
            tasks_failed: number;
            trust_score_overall: string | null;
        };
        Incident: {
            /** Format: date-time */
            created_at: string;
            /** @description Out of the metadata of the event, as it was reported; empty where none may be shown */
            description: string;
            /** Format: uuid */
            incident_id: string;
            redacted?: components["schemas"]["Redaction"];
            reg: string;
            resolution: string | null;
            /** Format: date-time */
            resolved_at: string | null;
            /** @enum {string} */
            severity: "info" | "warning" | "error" | "critical";
            /** @enum {string} */
            status: "open" | "resolved";
            /** @description Out of the metadata of the event, as it was reported; a default where none may be shown */
            title: string;
        };
        IncidentPage: {
            data: components["schemas"]["Incident"][];
            /**
             * @description Only where the texts are hidden because the operator is suspended
             * @enum {string}
             */
            operator_status?: "suspended";
            pagination: components["schemas"]["Pagination"];
        };
        InsufficientData: {
            message: string;
            reg: string;
            /** @enum {string} */
            status: "insufficient_data";
        };
        KycCheck: {
            /** Format: date-time */
            completed_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            provider: string;
            reason: string | null;
            /** @enum {string} */
            status: "pending" | "verified" | "failed" | "canceled";
        };
        KycStarted: {
            /**
             * @description Stays `verified` while a verified operator renews
             * @enum {string}
             */
            kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /**
             * Format: uri
             * @description The provider's page for this person; null while it looks at what was handed in
             */
            verification_url: string | null;
        };
        KycState: {
            /** @description The newest 100 checks, newest first */
            history: components["schemas"]["KycCheck"][];
            /** Format: date-time */
            kyc_expires_at: string | null;
            /** @enum {string} */
            kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** Format: date-time */
            kyc_verified_at: string | null;
        };
        ListedActivityEvent: {
            /** Format: date-time */
            created_at: string;
            event_type: string;
            /** Format: uuid */
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            redacted?: components["schemas"]["Redaction"];
            /** @enum {string} */
            reported_by: "operator" | "platform";
            /** @enum {string} */
            severity: "info" | "warning" | "error" | "critical";
            /**
             * @description Whose word it is, decided as the event came. self: that of the agent's operator, or of whoever may be the same person; peer: that of a platform of another operator, when identity checks have told that two different persons stand behind the two; independent: that of such a platform with which several verified operators have worked, and which is not distrusted
             * @enum {string}
             */
            source: "self" | "peer" | "independent";
        };
        LogEntry: {
            /** @description Its place in the log, from 0 */
            index: number;
            /** @description The bytes of the leaf, as they are hashed */
            leaf: string;
            /** @description What opens the leaf; absent where this reader may not know its facts */
            opening?: {
                /** @description JSON whose SHA-256, behind the salt, is `c` of the leaf: hash this text before it is parsed */
                facts: string;
                /** @description JSON whose SHA-256, behind its salt, is `metadata` of the facts */
                metadata?: string;
                /** @description 16 bytes in base64url */
                metadata_salt?: string;
                /** @description 16 bytes in base64url */
                salt: string;
            };
        };
        Notification: {
            body: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            read_at: string | null;
            reg: string | null;
            title: string;
            /** @enum {string} */
            type: "trust_alert" | "incident_alert" | "weekly_digest" | "kyc_reminder" | "webhook_disabled" | "ownership_lost" | "platform_membership";
        };
        NotificationPage: {
            data: components["schemas"]["Notification"][];
            pagination: components["schemas"]["Pagination"];
            unread_count: number;
        };
        Operator: {
            /** @description How many agents may be active at once; set by the tier */
            agent_limit: number;
            avatar_url: string | null;
            /** @description Checked by nobody, and shown to nobody else */
            company_name: string | null;
            company_url: string | null;
            /** Format: date-time */
            created_at: string;
            email: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            kyc_expires_at: string | null;
            /**
             * @description `verified`: a person behind this account showed an identity document to Stripe Identity within the last 365 days. Nothing is said of who that is, nor of the name, nor of a company
             * @enum {string}
             */
            kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** Format: date-time */
            kyc_verified_at: string | null;
            /**
             * Format: date-time
             * @description When `email` was refused as an address: nothing is mailed to it since. Null while it is mailed
             */
            mail_refused_at: string | null;
            /** @description Types of notifications that are not sent by mail: each mail has a link that adds its type */
            mail_unsubscribed: ("trust_alert" | "incident_alert" | "weekly_digest" | "kyc_reminder" | "webhook_disabled" | "ownership_lost" | "platform_membership")[];
            /** @description Public, and free text until it is verified */
            name: string;
            /** @description True when an identity document that a person behind this account has shown bears this very name. False says that this was not found, not that the name is wrong */
            name_verified: boolean;
            notification_prefs: {
                incident_alerts: boolean;
                kyc_reminders: boolean;
                trust_alerts: boolean;
                weekly_digest: boolean;
            };
            role: string;
            /** @enum {string} */
            status: "active" | "suspended";
            /** @enum {string} */
            tier: "free" | "pro" | "business" | "enterprise";
            /** Format: date-time */
            updated_at: string;
        };
        /** @description At least one field */
        OperatorChanges: {
            /** Format: uri */
            avatar_url?: string | null;
            company_name?: string | null;
            /** Format: uri */
            company_url?: string | null;
            /** @description Types of notifications that are not sent by mail: all of them */
            mail_unsubscribed?: ("trust_alert" | "incident_alert" | "weekly_digest" | "kyc_reminder" | "webhook_disabled" | "ownership_lost" | "platform_membership")[];
            name?: string;
            /** @description Switches that are not given stay */
            notification_prefs?: {
                incident_alerts?: boolean;
                kyc_reminders?: boolean;
                trust_alerts?: boolean;
                weekly_digest?: boolean;
            };
        };
        OwnAgent: {
            /** @description What its operator says; what stands there was never looked at */
            card_url: string | null;
            /**
             * @description A autonomous, S semi-autonomous, H human-assisted; what its operator says; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description What its operator says; not checked */
            description: string;
            /** @description The domain that the operator has proved to hold, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description What its operator says; what stands there was never looked at */
            homepage_url: string | null;
            /** Format: uuid */
            id: string;
            incident_count: number;
            /** @description What its operator says; not checked */
            name: string;
            /** @description Where it goes when it leaves; null: nowhere */
            next_platform_slug: string | null;
            /** @description Which links nobody but you sees, and why: `no_domain` (none is proved), `other_domain` (the host is neither the proved domain nor below it) */
            not_public: {
                /** @enum {string} */
                card_url?: "no_domain" | "other_domain";
                /** @enum {string} */
                homepage_url?: "no_domain" | "other_domain";
            };
            /** @description What the operator calls itself: a claim, unless its name is verified */
            operator_name: string;
            /** @description True when an identity document that a person behind this account has shown bears this very name. False says that this was not found, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description verified: the operator has proved that it holds `domain`; looked up again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /**
             * Format: date-time
             * @description When the agent leaves its platform, as its operator has asked
             */
            platform_leaves_at: string | null;
            /** @description The operator's claim, unless `platform_state` is `confirmed` */
            platform_name: string | null;
            /** @description The operator's claim, unless `platform_state` is `confirmed` */
            platform_slug: string | null;
            /**
             * @description claimed: the operator of the agent says that it is on the platform. confirmed: the platform says so too. retired: the platform is no more
             * @enum {string|null}
             */
            platform_state: "claimed" | "confirmed" | "retired" | null;
            reg: string;
            /** Format: date-time */
            registered_at: string;
            /** @description What its operator says; not checked */
            specializations: string[];
            /** @enum {string} */
            status: "active" | "deactivated";
            tasks_completed: number;
            tasks_failed: number;
            trust_score_overall: string | null;
        };
        Ownership: {
            /** @description In lower case and punycode */
            domain: string;
            /**
             * @description dns: a TXT record; http: a file of the web site
             * @enum {string}
             */
            method: "dns" | "http";
            /** @enum {string} */
            ownership_status: "verified";
            reg: string;
            /** Format: date-time */
            verified_at: string;
        };
        OwnershipChallenge: {
            /** @description In lower case and punycode */
            domain: string;
            /**
             * Format: date-time
             * @description Verify before then, else ask for a new challenge
             */
            expires_at: string;
            /** @enum {string} */
            method: "dns";
            record_name: string;
            /** @enum {string} */
            record_type: "TXT";
            record_value: string;
        } | {
            /** @description The JSON of the file, or one entry of an array in it */
            content: {
                reg: string;
                token: string;
            };
            /** @description In lower case and punycode */
            domain: string;
            /**
             * Format: date-time
             * @description Verify before then, else ask for a new challenge
             */
            expires_at: string;
            /** @enum {string} */
            method: "http";
            url: string;
        };
        Pagination: {
            page: number;
            per_page: number;
            /** @description Items on all pages together */
            total: number;
            total_pages: number;
        };
        PastTrustScore: {
            /** @description How right the outputs were */
            accuracy: number;
            /** Format: date-time */
            computed_at: string;
            /** @description How few and how mild the bad days are */
            consistency: number;
            /**
             * Format: date
             * @description The UTC day of the score
             */
            day: string;
            /** @description Events in the window */
            events_considered: number;
            /** @description The weighted sum of the five */
            overall: number;
            /** @description Tasks that were completed, less time down */
            reliability: number;
            /** @description How few and how mild the faults were: incidents and `error` events */
            safety: number;
            /** @description Response times */
            speed: number;
        };
        Platform: {
            /**
             * @description open: the platform is told of every agent that claims to be on it. approval: of an agent that it has not confirmed it is told the registration alone, and its keys neither report for it nor read its whole log
             * @enum {string}
             */
            admission: "open" | "approval";
            /**
             * Format: date-time
             * @description When this URL first answered 2xx; null: never
             */
            answered_at: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description From when on its reports are of source peer at best, by a decision of the registry; null: they are not
             */
            distrusted_at: string | null;
            /**
             * Format: date-time
             * @description When enough verified operators had worked with it: from then on its reports are of source independent where they were of source peer; null: not yet
             */
            established_at: string | null;
            /** @description The types that are sent; null: all */
            event_types: ("agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified")[] | null;
            /** @description Deliveries that failed since the last success */
            failed_in_row: number;
            /**
             * Format: date-time
             * @description When the first of them failed
             */
            failing_since: string | null;
            /** @description What its operator says; not checked */
            name: string;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too
             */
            previous_secret_expires_at: string | null;
            slug: string;
            /**
             * @description retired: permanently; it takes no agents, reports nothing and is sent nothing, and its slug stays taken
             * @enum {string}
             */
            status: "active" | "retired";
            /** @description Attempts so far while this URL has never answered 2xx; at 50 it is disabled */
            unanswered_attempts: number;
            /**
             * @description Disabled after repeated failures, or after 50 attempts while its URL has never answered 2xx; what happens until it is enabled, is skipped
             * @enum {string}
             */
            webhook_status: "enabled" | "disabled";
            /** @description Where webhooks go; null: nowhere */
            webhook_url: string | null;
        };
        PlatformAgent: {
            /**
             * @description What its operator says; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description The domain that the operator has proved to hold, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description What its operator says; not checked */
            name: string;
            /**
             * Format: uuid
             * @description Permanent and public: the same on all agents of an operator, which it links for good
             */
            operator_id: string;
            /**
             * @description `verified`: a person behind this account showed an identity document to Stripe Identity within the last 365 days. Nothing is said of who that is, nor of the name, nor of a company
             * @enum {string}
             */
            operator_kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description What the operator calls itself: a claim, unless its name is verified */
            operator_name: string;
            /** @description True when an identity document that a person behind this account has shown bears this very name. False says that this was not found, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description verified: the operator has proved that it holds `domain`; looked up again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /**
             * Format: date-time
             * @description When it leaves, as its operator has asked
             */
            platform_leaves_at: string | null;
            /**
             * Format: date-time
             * @description When it joined: what was reported before is not yours to read
             */
            platform_since: string;
            /**
             * @description claimed: the operator of the agent says that it is on the platform. confirmed: the platform says so too. retired: the platform is no more
             * @enum {string}
             */
            platform_state: "claimed" | "confirmed" | "retired";
            reg: string;
            /** Format: date-time */
            registered_at: string;
            /** @enum {string} */
            status: "active" | "deactivated";
            tasks_completed: number;
            trust_score_overall: string | null;
        };
        PlatformApiKeyInput: {
            /**
             * Format: date-time
             * @description In the future; never, when left out
             */
            expires_at?: string | null;
            name: string;
            /**
             * @default [
             *       "read"
             *     ]
             */
            permissions?: ("read" | "activity:report")[];
        };
        /** @description At least one field */
        PlatformChanges: {
            /**
             * @description open: the platform is told of every agent that claims to be on it. approval: of an agent that it has not confirmed it is told the registration alone, and its keys neither report for it nor read its whole log
             * @enum {string}
             */
            admission?: "open" | "approval";
            /** @description null for all types */
            event_types?: ("agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified")[] | null;
            name?: string;
            /**
             * @description Enables a disabled webhook; what was skipped stays so until it is recovered
             * @enum {string}
             */
            webhook_status?: "enabled";
            /** @description HTTPS; null ends the webhooks */
            webhook_url?: string | null;
        };
        PlatformCreated: {
            /**
             * @description open: the platform is told of every agent that claims to be on it. approval: of an agent that it has not confirmed it is told the registration alone, and its keys neither report for it nor read its whole log
             * @enum {string}
             */
            admission: "open" | "approval";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description From when on its reports are of source peer at best, by a decision of the registry; null: they are not
             */
            distrusted_at: string | null;
            /**
             * Format: date-time
             * @description When enough verified operators had worked with it: from then on its reports are of source independent where they were of source peer; null: not yet
             */
            established_at: string | null;
            /** @description The types that are sent; null: all */
            event_types: ("agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified")[] | null;
            /** @description What its operator says; not checked */
            name: string;
            slug: string;
            /**
             * @description retired: permanently; it takes no agents, reports nothing and is sent nothing, and its slug stays taken
             * @enum {string}
             */
            status: "active" | "retired";
            /** @description Shown this once */
            webhook_secret: string;
            /**
             * @description Disabled after repeated failures, or after 50 attempts while its URL has never answered 2xx; what happens until it is enabled, is skipped
             * @enum {string}
             */
            webhook_status: "enabled" | "disabled";
            /** @description Where webhooks go; null: nowhere */
            webhook_url: string | null;
        };
        PlatformInput: {
            /**
             * @description open: the platform is told of every agent that claims to be on it. approval: of an agent that it has not confirmed it is told the registration alone, and its keys neither report for it nor read its whole log. open, when left out
             * @enum {string}
             */
            admission?: "open" | "approval";
            /** @description All types, when left out */
            event_types?: ("agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified")[] | null;
            name: string;
            /** @description Names the platform permanently; a few words are reserved */
            slug: string;
            /** @description HTTPS; no webhooks, when left out */
            webhook_url?: string | null;
        };
        PlatformProfile: {
            /**
             * @description open: the platform is told of every agent that claims to be on it. approval: of an agent that it has not confirmed it is told the registration alone, and its keys neither report for it nor read its whole log
             * @enum {string}
             */
            admission: "open" | "approval";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description From when on its reports are of source peer at best, by a decision of the registry; null: they are not
             */
            distrusted_at: string | null;
            /**
             * Format: date-time
             * @description When enough verified operators had worked with it: from then on its reports are of source independent where they were of source peer; null: not yet
             */
            established_at: string | null;
            /** @description What its operator says; not checked */
            name: string;
            slug: string;
            /**
             * @description retired: permanently; it takes no agents, reports nothing and is sent nothing, and its slug stays taken
             * @enum {string}
             */
            status: "active" | "retired";
        };
        PlatformRemoval: {
            /**
             * Format: date-time
             * @description Before that it cannot join the platform again
             */
            barred_until: string;
            platform_slug: string;
            reg: string;
            /** Format: date-time */
            removed_at: string;
        };
        PublicOperator: {
            /** @description Its active agents */
            agent_count: number;
            /** Format: date-time */
            created_at: string;
            /** @description Different domains that were proved for its active agents, and are looked up every week */
            domain_count: number;
            /** @description The first 100 of them by name */
            domains: string[];
            /**
             * Format: uuid
             * @description Permanent and public: the same on all agents of an operator, which it links for good
             */
            id: string;
            /**
             * @description `verified`: a person behind this account showed an identity document to Stripe Identity within the last 365 days. Nothing is said of who that is, nor of the name, nor of a company
             * @enum {string}
             */
            kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description What the operator calls itself: a claim, unless its name is verified */
            name: string;
            /** @description True when an identity document that a person behind this account has shown bears this very name. False says that this was not found, not that the name is wrong */
            name_verified: boolean;
            /**
             * @description `suspended`: the service refuses this operator; its agents stay public
             * @enum {string}
             */
            status: "active" | "suspended";
        };
        Recovered: {
            /** @description Events that are delivered again */
            count: number;
            /** @description Whether to call again for the rest */
            more: boolean;
        };
        RecoverInput: {
            /** @description A time in ISO 8601, or a day, which means its beginning in UTC; at most 14 days back */
            since: string;
        };
        /** @description Only where the metadata of the event were taken down */
        Redaction: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            reason: "law" | "secret" | "personal";
        };
        ReportedEvent: {
            /** Format: uuid */
            agent_id: string;
            /** Format: date-time */
            created_at: string;
            event_type: string;
            /** Format: uuid */
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            redacted?: components["schemas"]["Redaction"];
            /** @enum {string} */
            reported_by: "operator" | "platform";
            /** @enum {string} */
            severity: "info" | "warning" | "error" | "critical";
            /**
             * @description Whose word it is, decided as the event came. self: that of the agent's operator, or of whoever may be the same person; peer: that of a platform of another operator, when identity checks have told that two different persons stand behind the two; independent: that of such a platform with which several verified operators have worked, and which is not distrusted
             * @enum {string}
             */
            source: "self" | "peer" | "independent";
            /** @description What was probably not meant, at most five; the event is stored as it was sent */
            warnings?: components["schemas"]["ReportWarning"][];
        };
        ReportWarning: {
            /**
             * @description near_miss: almost a name that counts; unused: nobody reads it there; bad_value: the score cannot read it
             * @enum {string}
             */
            code: "near_miss" | "unused" | "bad_value";
            /** @description Where it stands in the report, as `metadata.duration` */
            field: string;
            message: string;
        };
        ResolutionInput: {
            resolution: string;
        };
        RiskFactor: {
            /**
             * @description `RECORD_SHORT`: the score is provisional; `RECORD_STALE`: the newest task is 30 days old or older; `RECORD_BURST`: a day has more than 10 times the tasks of the median day; `RECORD_UNATTESTED`: no task was reported by a platform of another verified person; `RECORD_PEER_ONLY`: platforms of other verified persons report tasks, but no established one does; `RECORD_CONTRADICTED`: the operator reports a larger share of completed tasks than others do, by more than 3 standard errors, both of 20 tasks or more; `RELIABILITY_DOWNTIME`: downtime takes 1 % or more; `RELIABILITY_RECENT`: what others say of the last 14 days is more than 1 point worse than the whole record; `RELIABILITY_LOW`: reliability is below 50; `ACCURACY_NO_EVIDENCE`: there are no grades; `ACCURACY_PARTIAL_EVIDENCE`: less than half of the completed tasks came with grades; `ACCURACY_UNATTESTED`: grades come from the operator alone, though others report tasks; `ACCURACY_RECENT`: what others say of the last 14 days is more than 1 point worse than the whole record; `ACCURACY_LOW`: accuracy is below 50; `SAFETY_RECENT_CRITICAL`: a critical event is less than 30 days old; `SAFETY_PAST_CRITICAL`: the youngest critical event is 30 to 89 days old; `SAFETY_LOW`: safety is below 50; `SPEED_NO_EVIDENCE`: there are no response times; `SPEED_PARTIAL_EVIDENCE`: less than half of the completed tasks came with response times; `SPEED_UNATTESTED`: response times come from the operator alone, though others report tasks; `SPEED_RECENT`: what others say of the last 14 days is more than 1 point worse than the whole record; `SPEED_LOW`: speed is below 50; `CONSISTENCY_LOW`: consistency is below 50
             * @enum {string}
             */
            code: "RECORD_SHORT" | "RECORD_STALE" | "RECORD_BURST" | "RECORD_UNATTESTED" | "RECORD_PEER_ONLY" | "RECORD_CONTRADICTED" | "RELIABILITY_DOWNTIME" | "RELIABILITY_RECENT" | "RELIABILITY_LOW" | "ACCURACY_NO_EVIDENCE" | "ACCURACY_PARTIAL_EVIDENCE" | "ACCURACY_UNATTESTED" | "ACCURACY_RECENT" | "ACCURACY_LOW" | "SAFETY_RECENT_CRITICAL" | "SAFETY_PAST_CRITICAL" | "SAFETY_LOW" | "SPEED_NO_EVIDENCE" | "SPEED_PARTIAL_EVIDENCE" | "SPEED_UNATTESTED" | "SPEED_RECENT" | "SPEED_LOW" | "CONSISTENCY_LOW";
            /**
             * @description Which value it bears on; `overall`: all of them
             * @enum {string}
             */
            dimension: "overall" | "reliability" | "accuracy" | "safety" | "speed" | "consistency";
            /** @description For people */
            message: string;
        };
        RollupRow: {
            /** @description Completed tasks */
            completed: number;
            /** Format: date */
            day: string;
            /** @description Seconds down without a plan, of intervals that ended on this day */
            down_seconds: number;
            /** @description Events of any type */
            events: number;
            /** @description Failed tasks */
            failed: number;
            /** @description Completed tasks with a grade */
            graded_count: number;
            /** @description Sum of the grades, in thousandths */
            graded_milli: number;
            /** @description Faults of weight critical: events of any type of severity critical */
            incidents_critical: number;
            /** @description Faults of weight error: incidents of severity error */
            incidents_error: number;
            /** @description Faults of weight info: incidents of severity info, `error` events of severity warning */
            incidents_info: number;
            /** @description Faults of weight warning: incidents of severity warning, `error` events of severity error */
            incidents_warning: number;
            /** @description Completed tasks with a response time */
            latency_count: number;
            /** @description Response times up to 2 s */
            latency_satisfied: number;
            /** @description Response times above 2 s, up to 8 s */
            latency_tolerating: number;
            /** @enum {string} */
            source: "self" | "peer" | "independent";
        };
        SearchItem: {
            /**
             * @description A autonomous, S semi-autonomous, H human-assisted; what its operator says; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description What its operator says; not checked */
            name: string;
            /** @description What the operator calls itself: a claim, unless its name is verified */
            operator_name: string;
            reg: string;
            /** @enum {string} */
            status: "active" | "deactivated";
            tasks_completed: number;
            trust_score_overall: string | null;
        };
        Session: {
            /** Format: date-time */
            created_at: string;
            /** @description Whether it is the one of this call */
            current: boolean;
            /** Format: date-time */
            expires_at: string;
            /** @description Names it in the audit log too */
            id: string;
            /** @description Of a token that was made in the console for a program; null for a sign-in */
            name: string | null;
        };
        SignedIn: {
            /** Format: date-time */
            expires_at: string;
            operator: components["schemas"]["Operator"];
            session_token: string;
        };
        TrustInputs: {
            algorithm_version: string;
            reg: string;
            /** @description The days of the window on which anything happened, oldest first, and of a day self, peer, independent */
            rows: components["schemas"]["RollupRow"][];
            /** @description What the algorithm makes of the rows; null when they hold too little activity */
            score: {
                /** @description How right the outputs were */
                accuracy: number;
                /** @description How far points above 50 count, from 0 to 1 */
                confidence: number;
                /** @description How few and how mild the bad days are */
                consistency: number;
                /** @description Events in the window */
                events_considered: number;
                /** @description The weighted sum of the five */
                overall: number;
                /** @description The record is too short for points above 50 to count in full: confidence is below 1 */
                provisional: boolean;
                /** @description Tasks that were completed, less time down */
                reliability: number;
                /** @description How few and how mild the faults were: incidents and `error` events */
                safety: number;
                /** @description Response times */
                speed: number;
            } | null;
            /** @description SHA-256 of the rows as a JSON array without white space: each row an array of its values, in the order of its fields */
            sha256: string;
            /**
             * Format: date
             * @description The day of age 0; of a deactivated agent at most its last one
             */
            today: string;
        };
        TrustScore: {
            /** @description How right the outputs were */
            accuracy: number;
            algorithm_version: string;
            computation_window_days: number;
            /** Format: date-time */
            computed_at: string;
            /** @description How few and how mild the bad days are */
            consistency: number;
            /** @description Events in the window */
            events_considered: number;
            /** @description The weighted sum of the five */
            overall: number;
            reg: string;
            /** @description Tasks that were completed, less time down */
            reliability: number;
            /** @description How few and how mild the faults were: incidents and `error` events */
            safety: number;
            /** @description Response times */
            speed: number;
        };
        Verification: {
            active: boolean;
            /** Format: date-time */
            checked_at: string;
            /**
             * @description What its operator says; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description The domain that the operator has proved to hold, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description What its operator says; not checked */
            name: string;
            /**
             * Format: uuid
             * @description Permanent and public: the same on all agents of an operator, which it links for good
             */
            operator_id: string;
            /**
             * @description `verified`: a person behind this account showed an identity document to Stripe Identity within the last 365 days. Nothing is said of who that is, nor of the name, nor of a company
             * @enum {string}
             */
            operator_kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description What the operator calls itself: a claim, unless its name is verified */
            operator_name: string;
            /** @description True when an identity document that a person behind this account has shown bears this very name. False says that this was not found, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description `suspended`: the service refuses this operator; its agents stay public
             * @enum {string}
             */
            operator_status: "active" | "suspended";
            /**
             * @description verified: the operator has proved that it holds `domain`; looked up again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            reg: string;
            /** @enum {boolean} */
            registered: true;
            trust_score_overall: string | null;
        };
        VerificationToken: {
            /** Format: date-time */
            expires_at: string;
            /** @description A JSON Web Signature in its compact form (ES256). Its claims: `iss` the address of this service, `sub` the agent number, `iat` the beginning of the minute, `exp` 15 minutes later, `verification` the answer of GET /verify/{reg}, and `log` the newest signed head of the transparency log, left out where there is none */
            token: string;
        };
        WebhookEvent: {
            /** Format: date-time */
            created_at: string;
            /** @description Its fields depend on the type: see GET /event-types */
            data: {
                [key: string]: unknown;
            };
            id: string;
            /** @enum {string} */
            type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
        };
        WebhookSecretRotated: {
            /**
             * Format: date-time
             * @description Until when the secret before this one signs too
             */
            previous_secret_expires_at: string;
            slug: string;
            /** @description Shown this once */
            webhook_secret: string;
        };
        WebhookTestInput: {
            /** @enum {string} */
            type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
        };
    };
    responses: {
        /** @description `AGENT_DEACTIVATED`: The agent is deactivated */
        AGENT_DEACTIVATED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "AGENT_DEACTIVATED";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 410;
                    };
                };
            };
        };
        /** @description `AGENT_LIMIT_REACHED`: The tier allows no more active agents */
        AGENT_LIMIT_REACHED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "AGENT_LIMIT_REACHED";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 402;
                    };
                };
            };
        };
        /** @description `CONFLICT`: The state of the record, or of another one, forbids it */
        CONFLICT: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "CONFLICT";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 409;
                    };
                };
            };
        };
        /** @description `FORBIDDEN`: The caller may not do this: permission, owner, or a suspended operator */
        FORBIDDEN: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "FORBIDDEN";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 403;
                    };
                };
            };
        };
        /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key came with another body before */
        IDEMPOTENCY_MISMATCH: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "IDEMPOTENCY_MISMATCH";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 422;
                    };
                };
            };
        };
        /** @description `INTERNAL_ERROR`: A fault of the service */
        INTERNAL_ERROR: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "INTERNAL_ERROR";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 500;
                    };
                };
            };
        };
        /** @description `NOT_FOUND`: What is named does not exist */
        NOT_FOUND: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "NOT_FOUND";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 404;
                    };
                };
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body is too large */
        PAYLOAD_TOO_LARGE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "PAYLOAD_TOO_LARGE";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 413;
                    };
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many calls in this minute, or a ceiling of this day is reached */
        RATE_LIMITED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 429;
                    };
                };
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: A part that the service needs does not answer */
        SERVICE_UNAVAILABLE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "SERVICE_UNAVAILABLE";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 503;
                    };
                };
            };
        };
        /** @description `UNAUTHORIZED`: The credential is missing, mistyped, unknown, ended or of the other kind */
        UNAUTHORIZED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 401;
                    };
                };
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is compressed, or not declared as JSON */
        UNSUPPORTED_MEDIA_TYPE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "UNSUPPORTED_MEDIA_TYPE";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 415;
                    };
                };
            };
        };
        /** @description `VALIDATION_ERROR`: The input is not valid; the message names the fields */
        VALIDATION_ERROR: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 400;
                    };
                };
            };
        };
        /**
         * @description `VALIDATION_ERROR`: The input is not valid; the message names the fields
         *
         *     `NO_UPDATES`: No field to change is given
         */
        VALIDATION_ERROR_or_NO_UPDATES: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR" | "NO_UPDATES";
                        /** @description For people; names the field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 400;
                    };
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    reportActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers what was answered first, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActivityInput"];
            };
        };
        responses: {
            /** @description The event as it stands in the log */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedEvent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            410: components["responses"]["AGENT_DEACTIVATED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_MISMATCH"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    reportActivityBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers what was answered first, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchInput"];
            };
        };
        responses: {
            /** @description All events are stored */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
            /** @description Some events are not stored, or none; each result says why */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_MISMATCH"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    registerAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers what was answered first, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentInput"];
            };
        };
        responses: {
            /** @description The registered agent */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            402: components["responses"]["AGENT_LIMIT_REACHED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_MISMATCH"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentProfile"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentChanges"];
            };
        };
        responses: {
            /** @description The changed agent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            410: components["responses"]["AGENT_DEACTIVATED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description Empty to start; then next_cursor of the response before. For the owner only. */
                cursor?: string;
                /** @description Events from this time on; a day means its beginning in UTC */
                from?: string;
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
                /** @description Events before this time; a day means its beginning in UTC */
                to?: string;
                /** @description Only events of this type */
                type?: string;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
                /** @description Only those that are open, or resolved */
                status?: "open" | "resolved";
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of incidents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentPage"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listLogEntries: {
        parameters: {
            query?: {
                /** @description Only events after the one with this `seq`; leaves of other kinds come all the same */
                after?: number;
                /** @description Empty to start; then next_cursor of the response before */
                cursor?: string;
                /** @description Only leaves of this kind */
                kind?: "event" | "agent" | "incident" | "day" | "redaction";
                /** @description How many leaves a page has; 100 at most without the key of its operator or platform */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The leaves */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LogEntry"][];
                        /** @description For the next page; null on the last */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    challengeOwnership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChallengeInput"];
            };
        };
        responses: {
            /** @description What to publish */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnershipChallenge"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    verifyOwnership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain is verified */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ownership"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getTrustScore: {
        parameters: {
            query?: {
                /** @description Adds what stands behind the score: weights, confidence, whose word the events are, the evidence of each dimension, risk factors */
                explain?: boolean;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The score, the explained score, or what it lacks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustScore"] | components["schemas"]["ExplainedTrustScore"] | components["schemas"]["InsufficientData"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listTrustScores: {
        parameters: {
            query?: {
                /** @description How many scores at most */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scores */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PastTrustScore"][];
                    };
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getTrustInputs: {
        parameters: {
            query?: {
                /** @description A past UTC day, or today */
                date?: string;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows of the window, their hash and the score */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustInputs"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    searchAgents: {
        parameters: {
            query?: {
                /** @description A autonomous, S semi-autonomous, H human-assisted */
                class?: "A" | "S" | "H";
                /** @description Agents that have proved exactly this domain; letters beyond ASCII become punycode */
                domain?: string;
                /** @description The lowest overall trust score */
                min_score?: number;
                /** @description Agents of this operator: `operator_id` */
                operator?: string;
                /** @description Both, when left out */
                ownership_status?: "unverified" | "verified";
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
                /** @description Slug of a platform */
                platform?: string;
                /** @description Words in name, specializations, description or number; "quoted" phrases, -without, or. The last word may be begun. */
                q?: string;
                /** @description A tag that the agent has, exactly */
                specialization?: string;
                /** @description Both, when left out */
                status?: "active" | "deactivated";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of agents, best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SearchItem"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    finishSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session; its token is shown this once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description To the console, when the sign-in was begun there */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Session"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    endAllSessions: {
        parameters: {
            query?: {
                /** @description Whether the session of this call goes on */
                keep_current?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    endOneSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session, as the list shows it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    beginSignIn: {
        parameters: {
            query?: {
                /** @description Handed to the identity provider, so that it need not ask */
                email?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the identity provider */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listEventTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All event types */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventTypeList"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    resolveIncident: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the incident */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolutionInput"];
            };
        };
        responses: {
            /** @description The resolved incident */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getPublicOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the operator */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operator */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicOperator"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getOperator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operator */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    updateOperator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorChanges"];
            };
        };
        responses: {
            /** @description The changed operator */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR_or_NO_UPDATES"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listOwnAgents: {
        parameters: {
            query?: {
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of agents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OwnAgent"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyInput"];
            };
        };
        responses: {
            /** @description The key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyRevoked"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChanges"];
            };
        };
        responses: {
            /** @description The changed key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description Only entries of this action */
                action?: "session.started" | "session.ended" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "agent.deactivated" | "agent.platform_changed" | "agent.removed_from_platform" | "ownership.verified" | "ownership.lost" | "kyc.started" | "kyc.verified" | "kyc.failed" | "kyc.canceled" | "platform.webhook_disabled" | "platform.registered" | "platform.updated" | "platform.enabled" | "platform.secret_rotated" | "platform.retired" | "platform.established" | "platform.distrusted" | "platform.distrust_ended" | "platform.agent_confirmed" | "platform.agent_removed" | "operator.updated" | "operator.identity_released" | "operator.suspended" | "operator.unsuspended" | "operator.tier_changed" | "event.redacted" | "event.erased";
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the log */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getDashboard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getKyc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Status and history */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycState"];
                };
            };
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    startKyc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where the person goes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStarted"];
                };
            };
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            409: components["responses"]["CONFLICT"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    resumeMail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operator, with `mail_refused_at` null */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of notifications */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    readNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the notification */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notification, read */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notification"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    readAllNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many were unread */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        read_count: number;
                    };
                };
            };
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listPlatforms: {
        parameters: {
            query?: {
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of platforms */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Platform"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    registerPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlatformInput"];
            };
        };
        responses: {
            /** @description The registered platform */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformCreated"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformProfile"] | components["schemas"]["Platform"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    retirePlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The retired platform */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Platform"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    updatePlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlatformChanges"];
            };
        };
        responses: {
            /** @description The changed platform */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Platform"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listPlatformAgents: {
        parameters: {
            query?: {
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
                /** @description Only agents in this state */
                state?: "claimed" | "confirmed";
            };
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of agents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PlatformAgent"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    removePlatformAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The removal */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformRemoval"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    confirmPlatformAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The confirmed agent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformAgent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listPlatformApiKeys: {
        parameters: {
            query?: {
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
            };
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    createPlatformApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlatformApiKeyInput"];
            };
        };
        responses: {
            /** @description The key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    revokePlatformApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key */
                key_id: string;
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyRevoked"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    updatePlatformApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key */
                key_id: string;
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChanges"];
            };
        };
        responses: {
            /** @description The changed key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Deliveries made from this time on; a day means its beginning in UTC */
                from?: string;
                /** @description Which page, from 1 */
                page?: number;
                /** @description How many items a page has */
                per_page?: number;
                /** @description Only deliveries of events about this agent, among the newest 10,000 that the other filters leave */
                reg?: string;
                /** @description Only deliveries in this state */
                status?: "pending" | "delivered" | "failed" | "skipped";
                /** @description Deliveries made before this time; a day means its beginning in UTC */
                to?: string;
                /** @description Only deliveries of events of this type */
                type?: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
            };
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the delivery */
                id: string;
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    redeliverEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the delivery */
                id: string;
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new delivery */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the delivery */
                id: string;
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, its attempt due now */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    recoverDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoverInput"];
            };
        };
        responses: {
            /** @description How many are delivered again, and whether more are left */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovered"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecretRotated"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestInput"];
            };
        };
        responses: {
            /** @description The delivery of the test event */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            409: components["responses"]["CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    verifyAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is registered */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    verifyAgentFully: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is registered */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullVerification"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getVerificationToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number in the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is registered; what is said of it stands in the token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationToken"];
                };
            };
            /** @description Nothing has changed since the answer with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
}

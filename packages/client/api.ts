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
         * Report an activity event for an agent
         * @description Stored events are permanent, and the 50 newest events of an agent are public with their metadata. Tasks (`task_completed`, `task_failed`), incidents, `error` events of severity `warning` or higher, unplanned downtime (from a `shutdown` of severity `error` or `critical` to the next `startup`), and all events of severity `critical` count toward the trust score. An `incident` event also opens an incident. Each tier has daily quotas per agent for events and for bytes of metadata; when one is exceeded, the endpoint returns 429 until the UTC day ends.
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
         * Report up to 1,000 activity events
         * @description If the request body is malformed, nothing is stored. Otherwise, each event is validated separately, and the results are in the order of the request. If an event is rejected because of the state of its agent or a daily quota, all events of that agent in the batch are rejected with the same error. Stored events are permanent, and the 50 newest events of an agent are public with their metadata.
         */
        post: operations["reportActivityBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-keys/{kid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the agent to which a key belongs or belonged
         * @description The `keyid` of a signed request is the `kid` of the key.
         */
        get: operations["getAgentKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-keys/{kid}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a verification token that names a key of the agent
         * @description The token of `/verify/{reg}/token` with two more claims: `cnf` contains the public key (RFC 7800), and `key` says when it was added (`added_at`) and the leaf that states so (`index`, or null). With a request that is signed with this key, it proves that the sender is the agent. It expires at the latest with the key. For a key that is unknown, revoked, or expired, the endpoint returns 404.
         */
        get: operations["getAgentKeyToken"];
        put?: never;
        post?: never;
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
         * Register an agent
         * @description The agent receives a permanent agent number, which is never assigned to another agent. The public profile shows `operator_id`, which permanently links all agents of an operator, so use an account that may be publicly associated with all of them. To retry safely, send an `Idempotency-Key`. On your own platform, the agent is `confirmed` immediately; on another platform, it is `claimed` until the platform confirms it. The endpoint returns 409 if the platform does not accept agents because it is retired or its operator is suspended, and 429 if the daily quota of registrations is used up; deactivating an agent does not free that quota.
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
        /**
         * Get the public profile of an agent
         * @description Deactivated agents keep their profile. The descriptions of the fields state which were verified and which are only stated by the operator.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an agent, move it to another platform, or deactivate it permanently
         * @description Deactivation is permanent: the agent accepts no more events and no longer counts toward the agent limit of the tier. `platform_slug` moves the agent to another platform. An agent on no platform, on a retired one, or on one that is not established moves immediately. It leaves an established platform after 7 days (`platform_leaves_at`); until then, its current platform can report on it, and setting `platform_slug` to the current platform cancels the move. The endpoint returns 409 if the new platform is retired, its operator is suspended, or it removed the agent within the last 30 days; this is checked again when the agent arrives.
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
         * List the activity events of an agent, newest first
         * @description Without a credential, filters and pagination apply to the 50 newest events, which are public with their metadata. With a session or a key with the permission `read`, the operator of the agent gets the whole log. With a key of the platform with the permission `read`, its platform gets the events since the agent joined. Both can page with `cursor`. A page has at most 50 events and is therefore smaller than 1 MB. `metadata` is `{}` for everyone when the event is redacted, and for the public while the texts of the agent are withheld; custom types are then `other`, and no filter finds them.
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
         * List the incidents of an agent, newest first
         * @description An event of type `incident` opens an incident with the `title` and `description` of its metadata; the operator of the agent resolves it. If the event is redacted or the texts are withheld, a default title and an empty description are shown.
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
    "/agents/{reg}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of an agent, newest first
         * @description Includes expired and revoked keys. The keys that are valid are in `/agents/{reg}/jwks.json`, too.
         */
        get: operations["listAgentKeys"];
        put?: never;
        /**
         * Register a public key with which an agent signs its requests
         * @description The proof is made where the private key is, and never contains it. An agent has at most five valid keys, and a key belongs permanently to the agent that registered it first. To rotate, register a new key, use it, then revoke the old one. Registering counts as a change to the agent.
         */
        post: operations["addAgentKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{reg}/keys/{kid}": {
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
         * Revoke a key of an agent, permanently
         * @description Takes effect at once, and is never refused by a quota. Revoking a key again returns the same response.
         */
        delete: operations["revokeAgentKey"];
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
         * List the entries (leaves) of an agent in the transparency log
         * @description Returns the leaves of an agent in log order, up to the newest signed head. A leaf states that something was recorded; its opening shows what was recorded. The operator of the agent gets all openings. Its platform gets those of events since the agent joined. Everyone gets those of the 50 newest events, of incidents, and of the current profile, without withheld or redacted texts. The signed head (the signed size and root of the log), tiles, and proofs are served under `/log` ([the transparency log](/docs/transparency)).
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
         * Create a challenge to verify the domain of an agent
         * @description Publish the TXT record or file from the response unchanged, then verify within 7 days. A new challenge replaces the previous one. The current domain remains verified until another one is verified.
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
         * Verify the domain of an agent
         * @description Looks up the TXT record or file of the pending challenge. If it is not found, the endpoint returns 409 and the message states what was found instead. Without a pending challenge, the endpoint returns the domain that is already verified, or 409 `CONFLICT`. Keep the record or file published: it is checked again every week, and after three failed checks in a row the agent becomes unverified.
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
         * Get the trust score of an agent
         * @description The score is computed from the current events at each request. An agent with fewer than 10 tasks in the last 90 days (the window) has no score; the response then has `status: insufficient_data`. With `explain=true`, the response also shows how the score was computed.
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
        /**
         * List the daily trust scores of an agent, newest first, one per UTC day at most
         * @description The score of a past day is final; the score of the current day is the most recent one.
         */
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
         * Get the inputs of a trust score
         * @description Returns what the score is computed from, so that anyone can recompute it ([how](/docs/trust-score#check-a-score-yourself)). With `date`, the window ends with that UTC day; the inputs of a past day do not change.
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
         * Search agents
         * @description With `q`, results are sorted by relevance, then by trust score. Without `q`, they are sorted by trust score, then newest first. Deactivated agents come last. At most 10,000 results are counted and listed.
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
         * Complete a sign-in
         * @description The identity provider redirects the browser here after the magic link is opened. The first sign-in with an account of the identity provider creates the operator; later ones update its `email`. If a browser navigates here (`Sec-Fetch-Mode: navigate`), no session token is returned: the response is a page that leads to the console, and it sets a cookie for the console that is valid for 12 hours; errors are pages, too.
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
        /**
         * Sign out: revoke the current session
         * @description Requests sent with the token after this response are rejected. Other sessions and API keys remain valid.
         */
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
         * List the operator's active sessions, newest first
         * @description Depending on the tier, an operator can have 20 or 50 active sessions. A sign-in beyond that limit revokes the oldest session and records this in the audit log.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere: revoke all sessions of the operator
         * @description Use this if a token may have been exposed. Requests sent with any of the tokens after this response are rejected; API keys remain valid. With `keep_current=true`, the session of the current request remains valid.
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
         * Revoke a session of the operator
         * @description Requests sent with its token after this response are rejected. Revoking a session that has already ended returns the same response.
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
         * Start a sign-in
         * @description Redirects the browser to the identity provider, which emails a magic link. Open this URL in a browser, or follow the redirects and keep the cookie, which `/auth/callback` requires.
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
         * List the webhook event types
         * @description Each event type has an example and a JSON Schema (draft 2020-12) of the whole webhook body. Fields may be added, so receivers must ignore unknown fields.
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
         * @description An incident is resolved once: repeating the call returns the resolution of the first call. A resolved incident still counts toward the trust score and remains in the activity log. A redacted incident can be resolved, but the text of its resolution is not stored.
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
         * Get the public record of an operator
         * @description Use the `operator_id` of an agent profile or verification. To list the agents of the operator, call `GET /agents/search?operator=`. The descriptions of the fields state what was checked and what was not.
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
    "/operators/{id}/log-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the leaves of an operator in the transparency log
         * @description Returns a leaf for each time that an identity check of the operator succeeded (`verified`) or expired (`expired`), and that the operator was suspended (`suspended`) or no longer (`reinstated`), in log order up to the newest signed head. These leaves contain all facts, and name no person. An operator without a `verified` leaf was never verified.
         */
        get: operations["listOperatorLogEntries"];
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
        /**
         * Get the signed-in operator
         * @description Includes private fields; `GET /operators/{id}` returns the public ones.
         */
        get: operations["getOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the signed-in operator
         * @description Omitted fields keep their values; `notification_prefs` are merged. Changing `name` ends its verification; the next identity check whose document shows the new name verifies it again. The audit log records which fields were changed.
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
        /**
         * List the operator's agents, newest first
         * @description Includes deactivated agents.
         */
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
        /**
         * List the operator's API keys, newest first
         * @description Includes revoked keys, but not the keys of platforms. Returns all keys, unless `page` or `per_page` is given. The full key is never returned; use `key_prefix` to tell keys apart.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key; the full key is returned only once
         * @description Only a salted hash of the key is stored, so a lost key cannot be recovered. This endpoint accepts 10 requests per minute. It returns 409 if the tier allows no more active keys; keys of your platforms count, but revoked and expired keys do not.
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
         * Revoke an API key, permanently
         * @description Requests sent with the key after this response are rejected. Revoking a key again returns the same response.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Update the name or rate limit of an API key
         * @description The maximum rate limit depends on the tier: free 60, pro 600, business 3,000, enterprise 10,000 requests per minute.
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
         * List security-relevant actions on the operator's account, newest first
         * @description Includes sign-ins and sign-outs; changes to API keys, platforms, webhook secrets, and agents on platforms; deactivations of agents; verifications of domains; changes to the operator's own record; identity checks; suspensions; tier changes; and redactions.
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
        /**
         * Get totals over all agents of the operator
         * @description Includes deactivated agents. Counters cover all time.
         */
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
        /**
         * Get the operator's KYC status and identity checks
         * @description A passed check is valid for 365 days. The registry does not store the identity document.
         */
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
         * Start an identity check, or get the URL of the pending one
         * @description Only one check can be pending, and further calls return it. If it is not completed within 24 hours, it is canceled, and the next call starts a new one. A verified operator can start a new check from 30 days before the verification expires; before that, the endpoint returns 409 `CONFLICT`.
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
         * Resume email to the signed-in operator after it was stopped
         * @description Email is stopped when the address is rejected as undeliverable or an email is reported as spam (`mail_refused_at`). It also resumes when you sign in after changing the email address of your account at the identity provider. Notifications that were not emailed remain in the list of notifications.
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
        /**
         * List the operator's notifications, newest first
         * @description Of the settings of the operator, `notification_prefs` controls which notifications are created, and `mail_opt_outs` which of them are not sent by email.
         */
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
        /**
         * Mark a notification as read
         * @description Repeating the call changes nothing: `read_at` remains the time of the first call.
         */
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
        /**
         * Mark all notifications as read
         * @description Notifications created while the request is processed may stay unread.
         */
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
        /**
         * List the operator's platforms, newest first
         * @description Includes retired platforms. Webhook secrets are never listed.
         */
        get: operations["listPlatforms"];
        put?: never;
        /**
         * Register a platform; its webhook secret is returned only once
         * @description Webhooks are signed with the secret in this response: `X-REG-Signature` is `sha256=` followed by the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex.
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
         * Get a platform
         * @description With a session, the operator who registered the platform gets all fields except the webhook secret. Everyone else, and any API key, gets the public fields.
         */
        get: operations["getPlatform"];
        put?: never;
        post?: never;
        /**
         * Retire a platform, permanently
         * @description The API keys of the platform are revoked, and it accepts no more agents. No more webhooks are sent; each pending delivery becomes `skipped` no later than its `next_attempt_at`. The agents remain on the platform with `platform_state: "retired"` and can leave immediately. The slug remains reserved. Retiring a platform again returns the same response.
         */
        delete: operations["retirePlatform"];
        options?: never;
        head?: never;
        /**
         * Update a platform, or enable its webhook again
         * @description A new URL applies from the next attempt of each delivery; changes to `event_types` and `admission` apply from the next webhook event. Enabling the webhook or changing its URL resets `consecutive_failures` to zero. Only a 2xx response resets `attempts_without_response`: from 50 on, one more failed attempt disables the webhook again, so send a test event first. Skipped deliveries remain skipped; to deliver their events, use `recover` or `redeliver`. The endpoint returns 409 if the platform is retired.
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
         * List the agents on a platform, most recently joined first
         * @description An operator can name any platform when registering an agent: `claimed` means that the platform has not confirmed it. At most 10,000 agents are counted and listed.
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
         * Remove an agent from the platform
         * @description The removal takes effect immediately, even if the agent is confirmed. The agent cannot join again for 30 days, and its operator is notified. If a move to another platform was pending, the agent joins that platform immediately. Removing an agent again returns the same response. The endpoint returns 409 if the platform is retired; its agents can leave on their own.
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
         * Confirm that an agent is on the platform
         * @description The profile then shows `platform_state: "confirmed"`. Confirming an agent again returns the same response. The endpoint returns 409 if the platform is retired.
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
        /**
         * List the API keys of a platform, newest first
         * @description Includes revoked keys. The full key is never returned; use `key_prefix` to tell keys apart.
         */
        get: operations["listPlatformApiKeys"];
        put?: never;
        /**
         * Create an API key for a platform; the full key is returned only once
         * @description The key acts for the platform: with `activity:report`, it reports events for agents on the platform; with `read`, it reads what was reported since they joined. If the `admission` of the platform is `approval`, both work only for confirmed agents. The key counts toward the API key limit of the operator who registered the platform.
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
         * Revoke an API key of a platform, permanently
         * @description Requests sent with the key after this response are rejected. Revoking a key again returns the same response.
         */
        delete: operations["revokePlatformApiKey"];
        options?: never;
        head?: never;
        /**
         * Update the name or rate limit of a platform's API key
         * @description The maximum rate limit is that of your tier, as for your own keys.
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
         * List the webhook deliveries of a platform, newest first
         * @description Deliveries are kept for 30 days. At most 10,000 deliveries are counted and listed.
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
        /**
         * Get a delivery with its payload and all attempts
         * @description Each attempt shows its duration, the status of the response, and the first 2 KB of its body.
         */
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
         * Redeliver an event
         * @description Creates a new delivery with the same event ID. The endpoint returns 409 if the webhook is disabled or has no URL, if the platform is retired, or if a delivery of the event is still pending; to retry a pending delivery immediately, use `retry-now`.
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
         * Retry a pending delivery now
         * @description Makes the next attempt immediately instead of when it is due. It counts as one of the five attempts, and the delay before the following attempt starts from it. Repeating the call before the immediate attempt starts has no effect. The endpoint returns 409 if the delivery is not pending, if an attempt is in progress, or if the webhook is disabled or has no URL.
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
         * Redeliver failed and skipped events
         * @description Creates a new delivery for each event whose delivery failed or was skipped at or after `since`: one per event, oldest first, for at most 10,000 events per call. Events with a newer delivery that is pending or delivered are left out, so repeating the call creates no duplicates. The endpoint returns 409 if the webhook is disabled or has no URL, or if the platform is retired.
         */
        post: operations["recoverDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{slug}/log-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the leaves of a platform in the transparency log
         * @description Returns a leaf for each change of what the source of its reports depends on, in log order up to the newest signed head: `registered`, `established` (`by` contains the ids of the operators that had worked with it), `distrusted`, `trusted` (no longer distrusted), `retired`.
         */
        get: operations["listPlatformLogEntries"];
        put?: never;
        post?: never;
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
         * Rotate the webhook secret; the new secret is returned only once
         * @description For 24 hours, `webhook-signature` also contains a signature made with the previous secret; `X-REG-Signature` uses the new secret immediately. A second rotation within that time makes the oldest secret invalid immediately.
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
         * Send a test event to the webhook
         * @description Sends the example event of a type, with `"test": true` in its data, even if `event_types` does not include the type. It is signed, sent, and retried like any other event. The endpoint returns 409 if the webhook is disabled or has no URL, or if the platform is retired.
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
        /**
         * Verify an agent
         * @description States whether the number is registered and active, who operates the agent, what was verified about both, and the trust score. For an unknown number, the endpoint returns 404.
         */
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
        /**
         * Verify an agent with all details
         * @description Adds the dimensions of the trust score, the counters, and the platform to the public verification.
         */
        get: operations["verifyAgentInDetail"];
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
         * Get a verification token, valid for 15 minutes
         * @description The token contains the verification of an agent, signed by the registry. It can be checked without calling this service, with the keys at `/.well-known/jwks.json`. It does not prove that the presenter is that agent, because anyone can fetch it. A token is also issued for a deactivated agent or one of a suspended operator, and states so. Responses within one minute differ only in their signature, unless the verification or the signed head has changed. If the registry does not sign tokens, the endpoint returns 404.
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
export interface webhooks {
    "agent.deactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An agent was permanently deactivated by its operator
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveAgentDeactivatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "agent.ownership_verified": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The operator of an agent verified a domain for it
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveAgentOwnershipVerifiedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "agent.registered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An agent joined the platform, by registration or by moving to it
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveAgentRegisteredEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "agent.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The profile of an agent was updated, or the agent left the platform
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveAgentUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "incident.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An incident was opened for an agent
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveIncidentCreatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "incident.resolved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An incident was resolved
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveIncidentResolvedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "operator.kyc_verified": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An operator with agents on the platform passed an identity check
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveOperatorKycVerifiedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "trust.threshold_crossed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The trust score of an agent crossed 40, 60, or 80, up or down
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveTrustThresholdCrossedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "trust.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The trust score of an agent was recomputed and changed
         * @description Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.
         */
        post: operations["receiveTrustUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Activity event */
        ActivityEvent: {
            /**
             * Format: uuid
             * @description ID of the agent
             */
            agent_id: string;
            /**
             * Format: date-time
             * @description Time at which the event was stored
             */
            created_at: string;
            /** @description Type of the event, as reported; `other` in place of a custom type that is withheld */
            event_type: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description Metadata of the event, as reported; `{}` if it was redacted or is withheld */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Slug of the platform that reported the event; null for the operator of the agent */
            platform: string | null;
            redacted?: components["schemas"]["Redaction"];
            /**
             * @description Whether the operator of the agent or its platform reported the event
             * @enum {string}
             */
            reported_by: "operator" | "platform";
            /**
             * @description Severity of the event
             * @enum {string}
             */
            severity: "info" | "warning" | "error" | "critical";
            /**
             * @description Who reported the event, as determined at that time. `self`: the operator of the agent, or a platform whose operator may be the same person; `unproven`: a platform whose operator has passed an identity check, while the operator of the agent has not: that they are two persons is not proven; `peer`: a platform whose operator is a different person, as identity checks showed; `independent`: a platform that meets the condition of `peer`, is established (enough verified operators have worked with it), and is not distrusted
             * @enum {string}
             */
            source: "self" | "unproven" | "peer" | "independent";
        };
        /** @description Activity event to report */
        ActivityInput: {
            /** @description task_completed, task_failed, error, incident, startup, shutdown, or a custom type */
            event_type: string;
            /** @description At most 16 KB and 10 levels. Public, and you cannot change or remove it: anyone can read the 50 newest events of an agent, so do not include secrets or personal data. Numbers are stored as IEEE 754 doubles and must be 0, or have a magnitude from 1e-7 to 9007199254740991; send other numbers as strings. `response_ms`, `quality` (0 to 1), and `correct` (true or false) count toward the trust score */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Agent number */
            reg: string;
            /**
             * @description Severity of the event; `info` by default
             * @enum {string|null}
             */
            severity?: "info" | "warning" | "error" | "critical" | null;
        };
        /** @description Page of activity events */
        ActivityPage: {
            /** @description Items of this page */
            data: components["schemas"]["ListedActivityEvent"][];
            /** @description Cursor of the next page; null on the last page. Present only if `cursor` was given */
            next_cursor?: string | null;
            pagination: components["schemas"]["Pagination"];
            /** @description Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform */
            withheld?: ("name" | "name_verified" | "description" | "specializations" | "homepage_url" | "card_url" | "operator_name" | "operator_name_verified" | "platform_name" | "event_type" | "metadata" | "title" | "resolution")[];
        };
        /** @description Agent, as shown to its operator */
        Agent: {
            /** @description Stated by the operator; the registry does not check the page */
            card_url: string | null;
            /**
             * @description A: autonomous, S: semi-autonomous, H: human-assisted. Stated by the operator; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description Stated by the operator; not checked */
            description: string;
            /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description Links that only you can see, and why: `no_domain`: the agent has no verified domain; `other_domain`: the host is neither the verified domain nor a subdomain of it */
            hidden_links: {
                /**
                 * @description Why the link is not public
                 * @enum {string}
                 */
                card_url?: "no_domain" | "other_domain";
                /**
                 * @description Why the link is not public
                 * @enum {string}
                 */
                homepage_url?: "no_domain" | "other_domain";
            };
            /** @description Stated by the operator; the registry does not check the page */
            homepage_url: string | null;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description Number of incidents, including resolved ones */
            incident_count: number;
            /** @description Stated by the operator; not checked */
            name: string;
            /** @description Slug of the platform that the agent joins when it leaves; null if none */
            next_platform_slug: string | null;
            /**
             * @description `verified`: the operator controls `domain`, which is checked again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /**
             * Format: date-time
             * @description When the agent leaves its platform, as requested by its operator; null if it stays
             */
            platform_leaves_at: string | null;
            /** @description Name of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless `platform_state` is `confirmed` */
            platform_name: string | null;
            /** @description Slug of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless `platform_state` is `confirmed` */
            platform_slug: string | null;
            /**
             * @description `claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; `retired`: the platform is retired
             * @enum {string|null}
             */
            platform_state: "claimed" | "confirmed" | "retired" | null;
            /** @description Agent number */
            reg: string;
            /**
             * Format: date-time
             * @description Time of the registration
             */
            registered_at: string;
            /** @description Stated by the operator; not checked */
            specializations: string[];
            /**
             * @description Status of the agent; a deactivation is permanent
             * @enum {string}
             */
            status: "active" | "deactivated";
            /** @description Number of completed tasks */
            tasks_completed: number;
            /** @description Number of failed tasks */
            tasks_failed: number;
            /**
             * Format: date-time
             * @description When the registry withheld the texts of the agent from everyone else; null while they are shown
             */
            texts_withheld_at: string | null;
            /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
            trust_score_overall: string | null;
            /**
             * Format: date-time
             * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
             */
            trust_score_updated: string | null;
        };
        /** @description At least one field. Null clears a field; `name` and `status` cannot be cleared */
        AgentChanges: {
            /**
             * Format: uri
             * @description HTTPS URL of the agent card, which other programs read. Public while its host is the verified domain of the agent or a subdomain of it; otherwise only you can see it. The registry never fetches it
             */
            card_url?: string | null;
            /** @description What the agent does */
            description?: string | null;
            /**
             * Format: uri
             * @description HTTPS URL of a page about the agent. Public while its host is the verified domain of the agent or a subdomain of it; otherwise only you can see it. The registry never fetches it
             */
            homepage_url?: string | null;
            /** @description Display name */
            name?: string;
            /** @description Slug of the platform to move to, or null to leave the current one. Leaving an established platform takes 7 days. On a platform of another operator, the agent is `claimed` until the platform confirms it */
            platform_slug?: string | null;
            /** @description What the agent specializes in */
            specializations?: string[] | null;
            /**
             * @description Set to `deactivated` to deactivate the agent permanently
             * @enum {string}
             */
            status?: "deactivated";
        };
        /** @description An agent was permanently deactivated by its operator */
        AgentDeactivatedEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /**
                 * @description A: autonomous, S: semi-autonomous, H: human-assisted. Stated by the operator; not checked
                 * @enum {string}
                 */
                class: "A" | "S" | "H";
                /** @description Stated by the operator; not checked */
                description: string;
                /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
                domain: string | null;
                /** @description Stated by the operator; not checked */
                name: string;
                /** @description Stated by the operator; not checked unless the name is marked as verified */
                operator_name: string;
                /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
                operator_name_verified: boolean;
                /**
                 * @description `verified`: the operator controls `domain`, which is checked again every week
                 * @enum {string}
                 */
                ownership_status: "unverified" | "verified";
                /** @description Current platform of the agent; null if none */
                platform_slug: string | null;
                /**
                 * @description `claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; null if the agent is on no platform
                 * @enum {string|null}
                 */
                platform_state: "claimed" | "confirmed" | null;
                /** @description Agent number */
                reg: string;
                /**
                 * Format: date-time
                 * @description Time of the registration
                 */
                registered_at: string;
                /** @description Stated by the operator; not checked */
                specializations: string[];
                /**
                 * @description Status of the agent; a deactivation is permanent
                 * @enum {string}
                 */
                status: "active" | "deactivated";
                /** @description Number of completed tasks */
                tasks_completed: number;
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
                trust_score_overall: string | null;
                /**
                 * Format: date-time
                 * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
                 */
                trust_score_updated: string | null;
                /** @description Present only if the registry withholds texts: the names of the fields with a substitute */
                withheld?: ("name" | "description" | "specializations" | "operator_name" | "operator_name_verified")[];
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.deactivated";
        };
        /** @description Agent to register */
        AgentInput: {
            /**
             * Format: uri
             * @description HTTPS URL of the agent card, which other programs read. Public while its host is the verified domain of the agent or a subdomain of it; otherwise only you can see it. The registry never fetches it
             */
            card_url?: string | null;
            /**
             * @description A: autonomous, S: semi-autonomous, H: human-assisted
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description What the agent does */
            description?: string | null;
            /**
             * Format: uri
             * @description HTTPS URL of a page about the agent. Public while its host is the verified domain of the agent or a subdomain of it; otherwise only you can see it. The registry never fetches it
             */
            homepage_url?: string | null;
            /** @description Display name */
            name: string;
            /** @description Slug of the platform that the agent works on. On a platform of another operator, the agent is `claimed` until the platform confirms it */
            platform_slug?: string | null;
            /** @description What the agent specializes in */
            specializations?: string[] | null;
        };
        /** @description Public key with which an agent signs its requests */
        AgentKey: {
            /**
             * Format: date-time
             * @description When the key was registered
             */
            added_at: string;
            /**
             * @description Algorithm, as HTTP message signatures name it
             * @enum {string}
             */
            alg: "ed25519";
            /**
             * Format: date-time
             * @description When the key expires; null if it does not
             */
            expires_at: string | null;
            /** @description Thumbprint of the key (RFC 7638, SHA-256) */
            kid: string;
            /** @description Leaves in the transparency log; null until a signed head covers them */
            log: {
                /** @description Index of the leaf that states that the key was added */
                added: number | null;
                /** @description Index of the leaf that states that the key was revoked */
                revoked: number | null;
            };
            /**
             * @description Why the key was revoked; null if it was not
             * @enum {string|null}
             */
            reason: "rotated" | "compromised" | "unused" | null;
            /** @description Agent number */
            reg: string;
            /**
             * Format: date-time
             * @description When the key was revoked; null if it was not
             */
            revoked_at: string | null;
            /**
             * @description `active`: not revoked or expired. An active key still signs for nobody while its agent is deactivated or its operator suspended
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /** @description Likely mistakes in the body, at most five; the request took effect nevertheless */
            warnings?: components["schemas"]["Warning"][];
            /** @description The public key: 32 bytes in base64url */
            x: string;
        };
        /** @description A public key of an agent, proved by a signature */
        AgentKeyInput: {
            /**
             * Format: date-time
             * @description Time at which the key expires, in UTC unless it has an offset; in the future, and at most two years ahead. If omitted, the key does not expire
             */
            expires_at?: string | null;
            /** @description Proof of possession: a JWS in compact form, signed with the key. Header: `alg` `EdDSA`, `typ` `agent-key-proof+jwt`, and the public key as `jwk`. Claims: `aud` (the URL of this registry), `sub` (the agent number), and `iat` (Unix seconds, within the last 10 minutes) */
            proof: string;
        };
        /** @description Page of keys of an agent */
        AgentKeyPage: {
            /** @description Items of this page */
            data: components["schemas"]["AgentKey"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The operator of an agent verified a domain for it */
        AgentOwnershipVerifiedEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /** @description Verified domain, in lowercase and punycode */
                domain: string;
                /**
                 * @description `dns`: with a TXT record; `http`: with a file on the website
                 * @enum {string}
                 */
                method: "dns" | "http";
                /** @description Agent number */
                reg: string;
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /**
                 * Format: date-time
                 * @description Time of the verification
                 */
                verified_at: string;
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.ownership_verified";
        };
        /** @description Public profile of an agent */
        AgentProfile: {
            /** @description Mean response time of tasks in milliseconds; null if none was reported */
            avg_response_ms: number | null;
            /** @description Stated by the operator; the registry does not check the page. Null unless its host is `domain` or a subdomain of it */
            card_url: string | null;
            /**
             * @description A: autonomous, S: semi-autonomous, H: human-assisted. Stated by the operator; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description Stated by the operator; not checked */
            description: string;
            /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description Stated by the operator; the registry does not check the page. Null unless its host is `domain` or a subdomain of it */
            homepage_url: string | null;
            /** @description Number of incidents, including resolved ones */
            incident_count: number;
            /**
             * Format: date-time
             * @description Time of the last event; null if none
             */
            last_active_at: string | null;
            /** @description Stated by the operator; not checked */
            name: string;
            /**
             * Format: date-time
             * @description When the name last changed; null if never
             */
            name_changed_at: string | null;
            /**
             * Format: uuid
             * @description ID of the operator: permanent, public, and the same on all of its agents, so it links them permanently
             */
            operator_id: string;
            /**
             * @description `verified`: Stripe Identity checked an identity document of a person behind this account within the last 365 days. This does not confirm who the person is, the operator name, or a company
             * @enum {string}
             */
            operator_kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description Stated by the operator; not checked unless the name is marked as verified */
            operator_name: string;
            /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description `suspended`: the credentials of this operator are accepted only for public reads; its agents remain public, but its texts are withheld
             * @enum {string}
             */
            operator_status: "active" | "suspended";
            /**
             * @description `verified`: the operator controls `domain`, which is checked again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /**
             * Format: date-time
             * @description Time at which `domain` was verified; null if none
             */
            ownership_verified_at: string | null;
            /**
             * Format: date-time
             * @description When the agent leaves its platform, as requested by its operator; null if it stays
             */
            platform_leaves_at: string | null;
            /** @description Name of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless `platform_state` is `confirmed` */
            platform_name: string | null;
            /**
             * Format: date-time
             * @description When the agent joined its platform; null if it is on none
             */
            platform_since: string | null;
            /** @description Slug of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless `platform_state` is `confirmed` */
            platform_slug: string | null;
            /**
             * @description `claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; `retired`: the platform is retired
             * @enum {string|null}
             */
            platform_state: "claimed" | "confirmed" | "retired" | null;
            /** @description Agent number */
            reg: string;
            /**
             * Format: date-time
             * @description Time of the registration
             */
            registered_at: string;
            /** @description Stated by the operator; not checked */
            specializations: string[];
            /**
             * @description Status of the agent; a deactivation is permanent
             * @enum {string}
             */
            status: "active" | "deactivated";
            /** @description Percentage of tasks that were completed; null if there are none */
            success_rate: string | null;
            /** @description Number of completed tasks */
            tasks_completed: number;
            /** @description Number of failed tasks */
            tasks_failed: number;
            /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
            trust_score_overall: string | null;
            /**
             * Format: date-time
             * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
             */
            trust_score_updated: string | null;
            /** @description Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform */
            withheld?: ("name" | "name_verified" | "description" | "specializations" | "homepage_url" | "card_url" | "operator_name" | "operator_name_verified" | "platform_name" | "event_type" | "metadata" | "title" | "resolution")[];
        };
        /** @description An agent joined the platform, by registration or by moving to it */
        AgentRegisteredEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /**
                 * @description A: autonomous, S: semi-autonomous, H: human-assisted. Stated by the operator; not checked
                 * @enum {string}
                 */
                class: "A" | "S" | "H";
                /** @description Stated by the operator; not checked */
                description: string;
                /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
                domain: string | null;
                /** @description Stated by the operator; not checked */
                name: string;
                /** @description Stated by the operator; not checked unless the name is marked as verified */
                operator_name: string;
                /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
                operator_name_verified: boolean;
                /**
                 * @description `verified`: the operator controls `domain`, which is checked again every week
                 * @enum {string}
                 */
                ownership_status: "unverified" | "verified";
                /** @description Current platform of the agent; null if none */
                platform_slug: string | null;
                /**
                 * @description `claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; null if the agent is on no platform
                 * @enum {string|null}
                 */
                platform_state: "claimed" | "confirmed" | null;
                /** @description Agent number */
                reg: string;
                /**
                 * Format: date-time
                 * @description Time of the registration
                 */
                registered_at: string;
                /** @description Stated by the operator; not checked */
                specializations: string[];
                /**
                 * @description Status of the agent; a deactivation is permanent
                 * @enum {string}
                 */
                status: "active" | "deactivated";
                /** @description Number of completed tasks */
                tasks_completed: number;
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
                trust_score_overall: string | null;
                /**
                 * Format: date-time
                 * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
                 */
                trust_score_updated: string | null;
                /** @description Present only if the registry withholds texts: the names of the fields with a substitute */
                withheld?: ("name" | "description" | "specializations" | "operator_name" | "operator_name_verified")[];
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.registered";
        };
        /** @description The profile of an agent was updated, or the agent left the platform */
        AgentUpdatedEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /** @description Names of the changed fields. If they include `platform_slug`, the agent left the platform or was removed from it; `keys` means that a key with which it signs was added or revoked. Get new links from the profile, which shows only links on the verified domain */
                changed: ("name" | "description" | "specializations" | "homepage_url" | "card_url" | "platform_slug" | "keys")[];
                /**
                 * @description A: autonomous, S: semi-autonomous, H: human-assisted. Stated by the operator; not checked
                 * @enum {string}
                 */
                class: "A" | "S" | "H";
                /** @description Stated by the operator; not checked */
                description: string;
                /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
                domain: string | null;
                /** @description Stated by the operator; not checked */
                name: string;
                /** @description Stated by the operator; not checked unless the name is marked as verified */
                operator_name: string;
                /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
                operator_name_verified: boolean;
                /**
                 * @description `verified`: the operator controls `domain`, which is checked again every week
                 * @enum {string}
                 */
                ownership_status: "unverified" | "verified";
                /** @description Current platform of the agent; null if none */
                platform_slug: string | null;
                /**
                 * @description `claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; null if the agent is on no platform
                 * @enum {string|null}
                 */
                platform_state: "claimed" | "confirmed" | null;
                /** @description Agent number */
                reg: string;
                /**
                 * Format: date-time
                 * @description Time of the registration
                 */
                registered_at: string;
                /** @description Stated by the operator; not checked */
                specializations: string[];
                /**
                 * @description Status of the agent; a deactivation is permanent
                 * @enum {string}
                 */
                status: "active" | "deactivated";
                /** @description Number of completed tasks */
                tasks_completed: number;
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
                trust_score_overall: string | null;
                /**
                 * Format: date-time
                 * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
                 */
                trust_score_updated: string | null;
                /** @description Present only if the registry withholds texts: the names of the fields with a substitute */
                withheld?: ("name" | "description" | "specializations" | "operator_name" | "operator_name_verified")[];
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.updated";
        };
        /** @description `Platform` for the operator who registered the platform; it is the only one with `webhook_status`. `PlatformProfile` for everyone else */
        AnyPlatform: components["schemas"]["Platform"] | components["schemas"]["PlatformProfile"];
        /** @description `InsufficientData` if the agent has too few tasks; only this schema has `status`. Otherwise `ExplainedTrustScore` if `explain=true`; only this schema has `weights`. Otherwise `TrustScore` */
        AnyTrustScore: components["schemas"]["ExplainedTrustScore"] | components["schemas"]["TrustScore"] | components["schemas"]["InsufficientData"];
        /** @description API key, without the full key */
        ApiKey: {
            /**
             * Format: date-time
             * @description Time of creation
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time at which the key expires; null if it does not
             */
            expires_at: string | null;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description First characters of the key, for identification */
            key_prefix: string;
            /**
             * Format: date-time
             * @description Time of the last request; null if never used
             */
            last_used_at: string | null;
            /** @description Name of the key */
            name: string;
            /** @description Permissions of the key */
            permissions: ("read" | "write" | "activity:report")[];
            /** @description Maximum number of requests per minute; never above the current maximum of your tier */
            rate_limit_per_minute: number;
            /** @description Number of requests made with the key */
            requests_count: number;
            /**
             * Format: date-time
             * @description Time of the revocation; null if the key is not revoked
             */
            revoked_at: string | null;
            /**
             * @description `active` until the key is revoked, even after it expires; a revocation is permanent
             * @enum {string}
             */
            status: "active" | "revoked";
        };
        /** @description At least one field */
        ApiKeyChanges: {
            /** @description Name of the key */
            name?: string;
            /** @description Maximum number of requests per minute; at most the maximum of your tier */
            rate_limit_per_minute?: number;
        };
        /** @description New API key, including the full key */
        ApiKeyCreated: {
            /**
             * Format: date-time
             * @description Time of creation
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time at which the key expires; null if it does not
             */
            expires_at: string | null;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description Full key; returned only once */
            key: string;
            /** @description First characters of the key, for identification */
            key_prefix: string;
            /** @description Name of the key */
            name: string;
            /** @description Permissions of the key */
            permissions: ("read" | "write" | "activity:report")[];
            /** @description Maximum number of requests per minute; never above the current maximum of your tier */
            rate_limit_per_minute: number;
        };
        /** @description API key to create */
        ApiKeyInput: {
            /**
             * Format: date-time
             * @description Time at which the key expires, in UTC unless it has an offset; must be in the future. If omitted, the key does not expire
             */
            expires_at?: string | null;
            /** @description Name of the key */
            name: string;
            /** @description Permissions of the key; `read` by default */
            permissions?: ("read" | "write" | "activity:report")[];
            /** @description Maximum number of requests per minute; at most the maximum of your tier. If omitted, 60 */
            rate_limit_per_minute?: number | null;
        };
        /** @description API keys; `pagination` is present if a page was requested */
        ApiKeyList: {
            /** @description API keys */
            data: components["schemas"]["ApiKey"][];
            pagination?: components["schemas"]["Pagination"];
        };
        /** @description Page of API keys */
        ApiKeyPage: {
            /** @description Items of this page */
            data: components["schemas"]["ApiKey"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Revoked API key */
        ApiKeyRevoked: {
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /**
             * Format: date-time
             * @description Time of the revocation
             */
            revoked_at: string;
            /**
             * @description Status of the key
             * @enum {string}
             */
            status: "revoked";
        };
        /** @description Security-relevant action on an account */
        AuditEntry: {
            /** @description The action, as object and verb separated by a dot; more actions may be added */
            action: string;
            /**
             * Format: date-time
             * @description Time of the action
             */
            created_at: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description The object of the action: an agent number; the slug of a platform; both, separated by a slash; the ID of a key, session, check, or event; a tier; or the names of the changed fields */
            target: string | null;
        };
        /** @description Page of the audit log */
        AuditPage: {
            /** @description Items of this page */
            data: components["schemas"]["AuditEntry"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Results of a batch report */
        BatchAnswer: {
            /** @description Number of stored events */
            accepted: number;
            /** @description Result of each event, in the order of the request */
            data: (components["schemas"]["StoredResult"] | components["schemas"]["RejectedResult"])[];
            /** @description Present only if the request has the header `Prefer: return=receipt`, an event was stored, and the registry signs tokens and has a log: a JSON Web Signature (ES256) with which it promises that the stored events will be in its transparency log within 24 hours */
            receipt?: string;
            /** @description Number of rejected events */
            rejected: number;
        };
        /** @description Batch of activity events */
        BatchInput: {
            /** @description Events; each is validated separately */
            events: components["schemas"]["ActivityInput"][];
        };
        /** @description Domain to verify, and the method */
        ChallengeInput: {
            /** @description A public domain name, without scheme, port, or path */
            domain: string;
            /**
             * @description `dns`: a TXT record; `http`: a file on the website
             * @enum {string}
             */
            method: "dns" | "http";
        };
        /** @description Totals over all agents of an operator */
        Dashboard: {
            /** @description Number of active agents */
            active_agent_count: number;
            /** @description Number of active API keys, not including those of platforms */
            active_api_keys: number;
            /** @description Number of agents, including deactivated ones */
            agent_count: number;
            /** @description Mean of the current scores of the active agents. A request recomputes at most 500 scores; further agents count with their stored score, which is at most a day old */
            average_trust_score: number | null;
            /**
             * Format: date-time
             * @description Time at which the newest of these scores came to be; null if there are none
             */
            average_trust_score_updated: string | null;
            /** @description Number of incidents, including resolved ones */
            incident_count: number;
            /** @description Number of open incidents */
            open_incident_count: number;
            /** @description Percentage of tasks that were completed; null if there are none */
            success_rate: string | null;
            /** @description Number of completed tasks */
            tasks_completed: number;
            /** @description Number of failed tasks */
            tasks_failed: number;
            /** @description Number of completed and failed tasks */
            total_tasks: number;
        };
        /** @description Delivery of an event to a platform */
        Delivery: {
            /** @description Number of attempts so far; at most five */
            attempts: number;
            /**
             * Format: date-time
             * @description Time of creation
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the successful attempt; null if there was none
             */
            delivered_at: string | null;
            /** @description ID of the event; the same in every attempt and redelivery */
            event_id: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /**
             * Format: date-time
             * @description When the next attempt is due; null if the delivery is not pending
             */
            next_attempt_at: string | null;
            /**
             * @description `skipped`: not sent, or not retried, because the webhook was disabled, paused for the day, or had no URL, the platform was retired, or its operator was suspended
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "skipped";
            /**
             * @description Type of the event
             * @enum {string}
             */
            type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
        };
        /** @description Delivery with its payload and all attempts */
        DeliveryDetail: {
            /** @description Attempts, oldest first */
            attempt_log: {
                /** @description Duration in milliseconds; null while the attempt is in progress */
                duration_ms: number | null;
                /** @description Why no complete response was received; null if one was */
                error: string | null;
                /** @description Number of the attempt, starting at 1 */
                number: number;
                /** @description First 2 KB of the response body; null if no response was received */
                response_excerpt: string | null;
                /** @description HTTP status of the response; null if none was received */
                response_status: number | null;
                /**
                 * Format: date-time
                 * @description Time at which the attempt started
                 */
                started_at: string;
            }[];
            /** @description Number of attempts so far; at most five */
            attempts: number;
            /**
             * Format: date-time
             * @description Time of creation
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the successful attempt; null if there was none
             */
            delivered_at: string | null;
            /** @description ID of the event; the same in every attempt and redelivery */
            event_id: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /**
             * Format: date-time
             * @description When the next attempt is due; null if the delivery is not pending
             */
            next_attempt_at: string | null;
            payload: components["schemas"]["WebhookEvent"];
            /**
             * @description `skipped`: not sent, or not retried, because the webhook was disabled, paused for the day, or had no URL, the platform was retired, or its operator was suspended
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "skipped";
            /**
             * @description Type of the event
             * @enum {string}
             */
            type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
        };
        /** @description Page of deliveries */
        DeliveryPage: {
            /** @description Items of this page */
            data: components["schemas"]["Delivery"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description DNS record to publish */
        DnsChallenge: {
            /** @description Domain to verify, in lowercase and punycode */
            domain: string;
            /**
             * Format: date-time
             * @description The challenge expires at this time; verify before then, or create a new one
             */
            expires_at: string;
            /**
             * @description Proof by a DNS TXT record (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            method: "dns";
            /** @description Name of the DNS record */
            record_name: string;
            /**
             * @description Type of the DNS record
             * @enum {string}
             */
            record_type: "TXT";
            /** @description Value of the DNS record */
            record_value: string;
            /** @description Likely mistakes in the body, at most five; the request took effect nevertheless */
            warnings?: components["schemas"]["Warning"][];
        };
        /** @description Event types that platforms can receive */
        EventTypeList: {
            /** @description All event types */
            data: {
                /** @description When events of this type are sent */
                description: string;
                /** @description JSON Schema (draft 2020-12) of the whole webhook body */
                schema: {
                    [key: string]: unknown;
                };
                /**
                 * @description Event type
                 * @enum {string}
                 */
                type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
            }[];
        };
        /** @description Basis of the score of a dimension */
        ExplainedDimension: {
            /** @description What counted against the agent, in tasks */
            bad: number;
            /** @description Factor from 0 to 1: a value above 50 becomes 50 + `confidence` × (value − 50) */
            confidence: number;
            /** @description What counted for the agent, in tasks */
            good: number;
            /**
             * @description Which computation determined the value: by task, by day, over the newest 70 tasks that others reported (`fortnight`), or the cap after a critical event. The one with the lowest result is used; `good` and `bad` are its inputs or, for the cap, those of the computation by task
             * @enum {string}
             */
            reading: "tasks" | "days" | "fortnight" | "ceiling";
        };
        /** @description Trust score, and how it was computed */
        ExplainedTrustScore: {
            /** @description Correctness of outputs */
            accuracy: number;
            /** @description Version of the scoring algorithm */
            algorithm_version: string;
            /** @description Length of the rolling window in days */
            computation_window_days: number;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            computed_at: string;
            /** @description Factor from 0 to 1 for reliability and safety: a value above 50 in either dimension becomes 50 + `confidence` × (value − 50) */
            confidence: number;
            /** @description How even the results are: lowered by days on which a large share of the tasks failed */
            consistency: number;
            /** @description Basis of each dimension */
            dimensions: {
                accuracy: components["schemas"]["ExplainedDimension"];
                consistency: components["schemas"]["ExplainedDimension"];
                reliability: components["schemas"]["ExplainedDimension"];
                safety: components["schemas"]["ExplainedDimension"];
                speed: components["schemas"]["ExplainedDimension"];
            };
            /** @description Number of events in the window */
            events_considered: number;
            /** @description Shares of the events in the window by their source; the shares add up to 1 */
            evidence: {
                /** @description Share reported by a platform that meets the condition of `peer`, is established (enough verified operators have worked with it), and is not distrusted */
                independent: number;
                /** @description Share reported by a platform whose operator is a different person, as identity checks showed */
                peer: number;
                /** @description Share reported by the operator of the agent, or a platform whose operator may be the same person */
                self: number;
                /** @description Share reported by a platform whose operator has passed an identity check, while the operator of the agent has not: that they are two persons is not proven */
                unproven: number;
            };
            /** @description Weighted sum of the five dimensions */
            overall: number;
            /** @description True if `confidence` is below 1, because the evidence in favor of the agent is worth fewer than 50 tasks */
            provisional: boolean;
            /** @description Agent number */
            reg: string;
            /** @description Share of tasks completed, reduced by downtime */
            reliability: number;
            /** @description Risks to consider; empty if there are none */
            risk_factors: components["schemas"]["RiskFactor"][];
            /** @description Inverse of the frequency and severity of incidents, `error` events, and other events of severity `critical` */
            safety: number;
            /** @description Response times */
            speed: number;
            /** @description Weight of each dimension in `overall`; the weights add up to 1 */
            weights: {
                /** @description Weight of accuracy */
                accuracy: number;
                /** @description Weight of consistency */
                consistency: number;
                /** @description Weight of reliability */
                reliability: number;
                /** @description Weight of safety */
                safety: number;
                /** @description Weight of speed */
                speed: number;
            };
        };
        /** @description Full verification of an agent */
        FullVerification: {
            /** @description Accuracy, from 0.0 to 100.0; null if the agent has no score */
            accuracy: number | null;
            /** @description Whether the agent is active */
            active: boolean;
            /**
             * Format: date-time
             * @description Time of the verification
             */
            checked_at: string;
            /**
             * @description Stated by the operator; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description Consistency, from 0.0 to 100.0; null if the agent has no score */
            consistency: number | null;
            /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description Number of events in the window of the score */
            events_considered: number;
            /** @description Number of incidents, including resolved ones */
            incident_count: number;
            /**
             * Format: date-time
             * @description Time of the last event; null if none
             */
            last_active_at: string | null;
            /** @description Stated by the operator; not checked */
            name: string;
            /**
             * Format: date-time
             * @description When the name last changed; null if never
             */
            name_changed_at: string | null;
            /** @description Number of open incidents */
            open_incident_count: number;
            /**
             * Format: uuid
             * @description ID of the operator: permanent, public, and the same on all of its agents, so it links them permanently
             */
            operator_id: string;
            /**
             * @description `verified`: Stripe Identity checked an identity document of a person behind this account within the last 365 days. This does not confirm who the person is, the operator name, or a company
             * @enum {string}
             */
            operator_kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description Stated by the operator; not checked unless the name is marked as verified */
            operator_name: string;
            /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description `suspended`: the credentials of this operator are accepted only for public reads; its agents remain public, but its texts are withheld
             * @enum {string}
             */
            operator_status: "active" | "suspended";
            /** @description Overall trust score, from 0.0 to 100.0; null if the agent has no score */
            overall: number | null;
            /**
             * @description `verified`: the operator controls `domain`, which is checked again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /** @description Name of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless `platform_state` is `confirmed` */
            platform_name: string | null;
            /** @description Slug of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless `platform_state` is `confirmed` */
            platform_slug: string | null;
            /**
             * @description `claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; `retired`: the platform is retired
             * @enum {string|null}
             */
            platform_state: "claimed" | "confirmed" | "retired" | null;
            /** @description Agent number */
            reg: string;
            /**
             * @description Always true; for an unknown number, the endpoint returns 404
             * @enum {boolean}
             */
            registered: true;
            /**
             * Format: date-time
             * @description Time of the registration
             */
            registered_at: string;
            /** @description Reliability, from 0.0 to 100.0; null if the agent has no score */
            reliability: number | null;
            /** @description Safety, from 0.0 to 100.0; null if the agent has no score */
            safety: number | null;
            /** @description Speed, from 0.0 to 100.0; null if the agent has no score */
            speed: number | null;
            /**
             * @description The record of the agent in one word; the first that applies: `suspended`: its operator is suspended; `deactivated`: the agent is deactivated; `critical`: a critical incident is open, or a critical event is less than 30 days old; `unrated`: it has no score, because too little was reported; `poor`: its score is below 45.0; `self_reported`: no task in the window has the source `peer` or `independent`; `mixed`: its score is below 60.0; `attested`: fewer than 10 tasks have the source `independent`, or these are of fewer than 3 days, or the score is provisional; `established`: none of the others applies
             * @enum {string}
             */
            standing: "suspended" | "deactivated" | "critical" | "unrated" | "poor" | "self_reported" | "mixed" | "attested" | "established";
            /** @description Number of completed tasks */
            tasks_completed: number;
            /** @description Number of failed tasks */
            tasks_failed: number;
            /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
            trust_score_overall: string | null;
            /**
             * Format: date-time
             * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
             */
            trust_score_updated: string | null;
            /** @description Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform */
            withheld?: ("name" | "name_verified" | "description" | "specializations" | "homepage_url" | "card_url" | "operator_name" | "operator_name_verified" | "platform_name" | "event_type" | "metadata" | "title" | "resolution")[];
        };
        /** @description File to publish */
        HttpChallenge: {
            /** @description Content of the file: this JSON object, or an array that contains it */
            content: {
                /** @description Agent number */
                reg: string;
                /** @description Token of the challenge */
                token: string;
            };
            /** @description Domain to verify, in lowercase and punycode */
            domain: string;
            /**
             * Format: date-time
             * @description The challenge expires at this time; verify before then, or create a new one
             */
            expires_at: string;
            /**
             * @description Proof by a file on the website (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            method: "http";
            /** @description URL of the file */
            url: string;
            /** @description Likely mistakes in the body, at most five; the request took effect nevertheless */
            warnings?: components["schemas"]["Warning"][];
        };
        /** @description Incident of an agent */
        Incident: {
            /**
             * Format: date-time
             * @description Time of creation
             */
            created_at: string;
            /** @description From the metadata of the event, as reported; empty if no description can be shown */
            description: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            incident_id: string;
            /** @description Slug of the platform that reported the event; null for the operator of the agent */
            platform: string | null;
            redacted?: components["schemas"]["Redaction"];
            /** @description Agent number */
            reg: string;
            /**
             * @description Whether the operator of the agent or its platform reported the event
             * @enum {string}
             */
            reported_by: "operator" | "platform";
            /** @description How the incident was resolved; null while it is open */
            resolution: string | null;
            /**
             * Format: date-time
             * @description Time of the resolution; null while the incident is open
             */
            resolved_at: string | null;
            /**
             * @description Severity of the event that opened the incident
             * @enum {string}
             */
            severity: "info" | "warning" | "error" | "critical";
            /**
             * @description Who reported the event, as determined at that time. `self`: the operator of the agent, or a platform whose operator may be the same person; `unproven`: a platform whose operator has passed an identity check, while the operator of the agent has not: that they are two persons is not proven; `peer`: a platform whose operator is a different person, as identity checks showed; `independent`: a platform that meets the condition of `peer`, is established (enough verified operators have worked with it), and is not distrusted
             * @enum {string}
             */
            source: "self" | "unproven" | "peer" | "independent";
            /**
             * @description Whether the incident is open or resolved
             * @enum {string}
             */
            status: "open" | "resolved";
            /** @description From the metadata of the event, as reported; a default if no title can be shown */
            title: string;
        };
        /** @description An incident was opened for an agent */
        IncidentCreatedEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /** @description Description, as reported; empty if none can be shown */
                description: string;
                /**
                 * Format: uuid
                 * @description ID of the incident
                 */
                incident_id: string;
                /** @description Slug of the platform that reported the event; null for the operator of the agent */
                platform: string | null;
                /** @description Present if the texts were redacted; `title` is then a default title, and `description` is empty */
                redacted?: {
                    /**
                     * Format: date-time
                     * @description Time of the redaction
                     */
                    at: string;
                    /**
                     * @description `law`: required by law or a court; `secret`: the metadata contained a credential; `personal`: it contained personal data
                     * @enum {string}
                     */
                    reason: "law" | "secret" | "personal";
                };
                /** @description Agent number */
                reg: string;
                /**
                 * @description Whether the operator of the agent or its platform reported the event
                 * @enum {string}
                 */
                reported_by: "operator" | "platform";
                /**
                 * @description Severity of the event that opened the incident
                 * @enum {string}
                 */
                severity: "info" | "warning" | "error" | "critical";
                /**
                 * @description Who reported the event, as determined at that time. `self`: the operator of the agent, or a platform whose operator may be the same person; `unproven`: a platform whose operator has passed an identity check, while the operator of the agent has not: that they are two persons is not proven; `peer`: a platform whose operator is a different person, as identity checks showed; `independent`: a platform that meets the condition of `peer`, is established (enough verified operators have worked with it), and is not distrusted
                 * @enum {string}
                 */
                source: "self" | "unproven" | "peer" | "independent";
                /**
                 * @description Status of the incident
                 * @enum {string}
                 */
                status: "open";
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /** @description Title, as reported; a default title if none can be shown */
                title: string;
                /**
                 * @description Present in the last event that a limit allows: per agent and UTC minute, at most 20 events of this type are sent for critical incidents, and 20 for all others. Also in the first event after some were not sent: of all `trust.*` and `incident.*` events about the claimed agents of an operator, a platform gets at most 5 per UTC minute. The list of incidents contains all of them
                 * @enum {boolean}
                 */
                truncated?: true;
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "incident.created";
        };
        /** @description Page of incidents */
        IncidentPage: {
            /** @description Items of this page */
            data: components["schemas"]["Incident"][];
            pagination: components["schemas"]["Pagination"];
            /** @description Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform */
            withheld?: ("name" | "name_verified" | "description" | "specializations" | "homepage_url" | "card_url" | "operator_name" | "operator_name_verified" | "platform_name" | "event_type" | "metadata" | "title" | "resolution")[];
        };
        /** @description An incident was resolved */
        IncidentResolvedEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /** @description Description, as reported; empty if none can be shown */
                description: string;
                /**
                 * Format: uuid
                 * @description ID of the incident
                 */
                incident_id: string;
                /** @description Slug of the platform that reported the event; null for the operator of the agent */
                platform: string | null;
                /** @description Present if the texts were redacted; `title` is then a default title, and `description` is empty */
                redacted?: {
                    /**
                     * Format: date-time
                     * @description Time of the redaction
                     */
                    at: string;
                    /**
                     * @description `law`: required by law or a court; `secret`: the metadata contained a credential; `personal`: it contained personal data
                     * @enum {string}
                     */
                    reason: "law" | "secret" | "personal";
                };
                /** @description Agent number */
                reg: string;
                /**
                 * @description Whether the operator of the agent or its platform reported the event
                 * @enum {string}
                 */
                reported_by: "operator" | "platform";
                /** @description How the incident was resolved */
                resolution: string;
                /**
                 * Format: date-time
                 * @description Time of the resolution
                 */
                resolved_at: string;
                /**
                 * @description Severity of the event that opened the incident
                 * @enum {string}
                 */
                severity: "info" | "warning" | "error" | "critical";
                /**
                 * @description Who reported the event, as determined at that time. `self`: the operator of the agent, or a platform whose operator may be the same person; `unproven`: a platform whose operator has passed an identity check, while the operator of the agent has not: that they are two persons is not proven; `peer`: a platform whose operator is a different person, as identity checks showed; `independent`: a platform that meets the condition of `peer`, is established (enough verified operators have worked with it), and is not distrusted
                 * @enum {string}
                 */
                source: "self" | "unproven" | "peer" | "independent";
                /**
                 * @description Status of the incident
                 * @enum {string}
                 */
                status: "resolved";
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /** @description Title, as reported; a default title if none can be shown */
                title: string;
                /**
                 * @description Present in the first event after some were not sent: of all `trust.*` and `incident.*` events about the claimed agents of an operator, a platform gets at most 5 per UTC minute
                 * @enum {boolean}
                 */
                truncated?: true;
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "incident.resolved";
        };
        /** @description Response for an agent that has too few tasks for a score */
        InsufficientData: {
            /** @description What is missing, as text */
            message: string;
            /** @description Agent number */
            reg: string;
            /**
             * @description Always `insufficient_data`; a score has no `status`
             * @enum {string}
             */
            status: "insufficient_data";
        };
        /** @description Identity check of an operator */
        KycCheck: {
            /**
             * Format: date-time
             * @description Time at which the check ended; null while it is pending
             */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description Time at which the check was started
             */
            created_at: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description Provider of the check */
            provider: string;
            /** @description Why the check was not passed; null otherwise */
            reason: string | null;
            /**
             * @description Status of the check
             * @enum {string}
             */
            status: "pending" | "verified" | "failed" | "canceled";
        };
        /** @description Started identity check */
        KycStarted: {
            /**
             * @description KYC status of the operator; remains `verified` while a verified operator repeats the check
             * @enum {string}
             */
            kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /**
             * Format: uri
             * @description URL of the page on which the provider performs the check; null while the provider reviews the submission
             */
            verification_url: string | null;
        };
        /** @description KYC status and history of an operator */
        KycState: {
            /** @description The newest 100 checks, newest first */
            history: components["schemas"]["KycCheck"][];
            /**
             * Format: date-time
             * @description Time at which the verification expires; null if none
             */
            kyc_expires_at: string | null;
            /**
             * @description KYC status of the operator
             * @enum {string}
             */
            kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /**
             * Format: date-time
             * @description Time of the last passed check; null if none
             */
            kyc_verified_at: string | null;
        };
        /** @description Activity event, as shown in a list */
        ListedActivityEvent: {
            /**
             * Format: date-time
             * @description Time at which the event was stored
             */
            created_at: string;
            /** @description Type of the event, as reported; `other` in place of a custom type that is withheld */
            event_type: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description Metadata of the event, as reported; `{}` if it was redacted or is withheld */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Slug of the platform that reported the event; null for the operator of the agent */
            platform: string | null;
            redacted?: components["schemas"]["Redaction"];
            /**
             * @description Whether the operator of the agent or its platform reported the event
             * @enum {string}
             */
            reported_by: "operator" | "platform";
            /**
             * @description Severity of the event
             * @enum {string}
             */
            severity: "info" | "warning" | "error" | "critical";
            /**
             * @description Who reported the event, as determined at that time. `self`: the operator of the agent, or a platform whose operator may be the same person; `unproven`: a platform whose operator has passed an identity check, while the operator of the agent has not: that they are two persons is not proven; `peer`: a platform whose operator is a different person, as identity checks showed; `independent`: a platform that meets the condition of `peer`, is established (enough verified operators have worked with it), and is not distrusted
             * @enum {string}
             */
            source: "self" | "unproven" | "peer" | "independent";
        };
        /** @description Leaf of the transparency log */
        LogEntry: {
            /** @description Index of the leaf in the log, starting at 0 */
            index: number;
            /** @description The leaf, byte for byte as it is hashed */
            leaf: string;
            /** @description The opening of the leaf; omitted if the caller is not allowed to see its facts */
            opening?: {
                /** @description JSON text; hash it before you parse it. Append this text to the decoded `salt`: the SHA-256 of the result, in base64url, is the field `c` of the leaf */
                facts: string;
                /** @description JSON text. Append it to the decoded `metadata_salt`: the SHA-256 of the result, in base64url, is the field `metadata` in `facts` */
                metadata?: string;
                /** @description 16 bytes in base64url */
                metadata_salt?: string;
                /** @description 16 bytes in base64url */
                salt: string;
                /** @description JSON text of an agent or incident, committed to by the field `texts` in `facts` in the same way; omitted if withheld or redacted */
                texts?: string;
                /** @description 16 bytes in base64url */
                texts_salt?: string;
            };
        };
        /** @description Page of an agent's leaves */
        LogEntryPage: {
            /** @description Items of this page */
            data: components["schemas"]["LogEntry"][];
            /** @description Cursor of the next page; null on the last page */
            next_cursor: string | null;
        };
        /** @description Page of the leaves of an operator or platform */
        LogStatePage: {
            /** @description Items of this page */
            data: {
                /** @description Index of the leaf in the log, starting at 0 */
                index: number;
                /** @description The leaf, byte for byte as it is hashed */
                leaf: string;
            }[];
            /** @description Cursor of the next page; null on the last page */
            next_cursor: string | null;
        };
        /** @description Notification of an operator */
        Notification: {
            /** @description Full text */
            body: string;
            /**
             * Format: date-time
             * @description Time of creation
             */
            created_at: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /**
             * Format: date-time
             * @description Time at which it was marked as read; null if unread
             */
            read_at: string | null;
            /** @description Agent that the notification is about; null if none */
            reg: string | null;
            /** @description Title, in one line */
            title: string;
            /**
             * @description Type of the notification; types may be added
             * @enum {string}
             */
            type: "trust_alert" | "incident_alert" | "weekly_digest" | "kyc_reminder" | "webhook_disabled" | "ownership_lost" | "platform_membership" | "agent_key";
        };
        /** @description Page of notifications */
        NotificationPage: {
            /** @description Items of this page */
            data: components["schemas"]["Notification"][];
            pagination: components["schemas"]["Pagination"];
            /** @description Number of unread notifications on all pages */
            unread_count: number;
        };
        /** @description Result of marking notifications as read */
        NotificationsRead: {
            /** @description Number of notifications marked as read by this request */
            read_count: number;
        };
        /** @description Operator, as shown to itself */
        Operator: {
            /** @description Maximum number of active agents; set by the tier */
            agent_limit: number;
            /** @description URL of a picture; the registry never fetches it */
            avatar_url: string | null;
            /** @description Not checked, and not shown to anyone else */
            company_name: string | null;
            /** @description Not checked, and not shown to anyone else */
            company_url: string | null;
            /**
             * Format: date-time
             * @description Time at which the account was created
             */
            created_at: string;
            /** @description Email address of the operator */
            email: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /**
             * Format: date-time
             * @description Time at which the verification expires; null if none
             */
            kyc_expires_at: string | null;
            /**
             * @description `verified`: Stripe Identity checked an identity document of a person behind this account within the last 365 days. This does not confirm who the person is, the operator name, or a company
             * @enum {string}
             */
            kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /**
             * Format: date-time
             * @description Time of the last passed identity check; null if none
             */
            kyc_verified_at: string | null;
            /** @description Notification types that are not sent by email; the unsubscribe link in an email adds its type */
            mail_opt_outs: ("trust_alert" | "incident_alert" | "weekly_digest" | "kyc_reminder" | "webhook_disabled" | "ownership_lost" | "platform_membership")[];
            /**
             * Format: date-time
             * @description Time at which email to `email` was stopped, because the address was rejected as undeliverable or an email to it was reported as spam; null if email is not stopped
             */
            mail_refused_at: string | null;
            /** @description Public; not checked unless `name_verified` is true */
            name: string;
            /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
            name_verified: boolean;
            /** @description Notification settings */
            notification_prefs: {
                /** @description Whether to notify about incidents */
                incident_alerts: boolean;
                /** @description Whether to send reminders before the verification expires */
                kyc_reminders: boolean;
                /** @description Whether to notify when a trust score falls */
                trust_alerts: boolean;
                /** @description Whether to send the weekly digest */
                weekly_digest: boolean;
            };
            /** @description Role of the account; always `operator` */
            role: string;
            /**
             * @description `suspended`: the credentials of the operator are accepted only for public reads
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * @description Tier of the operator; sets its quotas
             * @enum {string}
             */
            tier: "free" | "pro" | "business" | "enterprise";
            /**
             * Format: date-time
             * @description Time of the last change
             */
            updated_at: string;
        };
        /** @description At least one field */
        OperatorChanges: {
            /**
             * Format: uri
             * @description URL of a picture; the registry never fetches it
             */
            avatar_url?: string | null;
            /** @description Not shown to anyone else */
            company_name?: string | null;
            /**
             * Format: uri
             * @description Not shown to anyone else
             */
            company_url?: string | null;
            /** @description All notification types that are not sent by email; replaces the current list */
            mail_opt_outs?: ("trust_alert" | "incident_alert" | "weekly_digest" | "kyc_reminder" | "webhook_disabled" | "ownership_lost" | "platform_membership")[];
            /** @description Display name */
            name?: string;
            /** @description Omitted settings keep their values */
            notification_prefs?: {
                /** @description Whether to notify about incidents */
                incident_alerts?: boolean;
                /** @description Whether to send reminders before the verification expires */
                kyc_reminders?: boolean;
                /** @description Whether to notify when a trust score falls */
                trust_alerts?: boolean;
                /** @description Whether to send the weekly digest */
                weekly_digest?: boolean;
            };
        };
        /** @description An operator with agents on the platform passed an identity check */
        OperatorKycVerifiedEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /**
                 * @description KYC status of the operator
                 * @enum {string}
                 */
                kyc_status: "verified";
                /**
                 * Format: date-time
                 * @description Time of the passed check
                 */
                kyc_verified_at: string;
                /**
                 * Format: uuid
                 * @description Permanent public ID of the operator
                 */
                operator_id: string;
                /** @description Stated by the operator; not checked unless the name is marked as verified */
                operator_name: string;
                /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
                operator_name_verified: boolean;
                /** @description The operator's active agents on this platform, at most 1,000 */
                regs: string[];
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /**
                 * @description Present if the operator has more agents on this platform
                 * @enum {boolean}
                 */
                truncated?: true;
                /** @description Present only if the registry withholds texts: the names of the fields with a substitute */
                withheld?: ("name" | "description" | "specializations" | "operator_name" | "operator_name_verified")[];
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "operator.kyc_verified";
        };
        /** @description Agent, as shown in the list of its operator */
        OwnAgent: {
            /** @description Stated by the operator; the registry does not check the page */
            card_url: string | null;
            /**
             * @description A: autonomous, S: semi-autonomous, H: human-assisted. Stated by the operator; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description Stated by the operator; not checked */
            description: string;
            /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description Links that only you can see, and why: `no_domain`: the agent has no verified domain; `other_domain`: the host is neither the verified domain nor a subdomain of it */
            hidden_links: {
                /**
                 * @description Why the link is not public
                 * @enum {string}
                 */
                card_url?: "no_domain" | "other_domain";
                /**
                 * @description Why the link is not public
                 * @enum {string}
                 */
                homepage_url?: "no_domain" | "other_domain";
            };
            /** @description Stated by the operator; the registry does not check the page */
            homepage_url: string | null;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description Number of incidents, including resolved ones */
            incident_count: number;
            /** @description Stated by the operator; not checked */
            name: string;
            /** @description Slug of the platform that the agent joins when it leaves; null if none */
            next_platform_slug: string | null;
            /** @description Stated by the operator; not checked unless the name is marked as verified */
            operator_name: string;
            /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description `verified`: the operator controls `domain`, which is checked again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /**
             * Format: date-time
             * @description When the agent leaves its platform, as requested by its operator; null if it stays
             */
            platform_leaves_at: string | null;
            /** @description Name of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless `platform_state` is `confirmed` */
            platform_name: string | null;
            /** @description Slug of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless `platform_state` is `confirmed` */
            platform_slug: string | null;
            /**
             * @description `claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; `retired`: the platform is retired
             * @enum {string|null}
             */
            platform_state: "claimed" | "confirmed" | "retired" | null;
            /** @description Agent number */
            reg: string;
            /**
             * Format: date-time
             * @description Time of the registration
             */
            registered_at: string;
            /** @description Stated by the operator; not checked */
            specializations: string[];
            /**
             * @description Status of the agent; a deactivation is permanent
             * @enum {string}
             */
            status: "active" | "deactivated";
            /** @description Number of completed tasks */
            tasks_completed: number;
            /** @description Number of failed tasks */
            tasks_failed: number;
            /**
             * Format: date-time
             * @description When the registry withheld the texts of the agent from everyone else; null while they are shown
             */
            texts_withheld_at: string | null;
            /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
            trust_score_overall: string | null;
            /**
             * Format: date-time
             * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
             */
            trust_score_updated: string | null;
        };
        /** @description Page of an operator's agents */
        OwnAgentPage: {
            /** @description Items of this page */
            data: components["schemas"]["OwnAgent"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Verified domain of an agent */
        Ownership: {
            /** @description Domain to verify, in lowercase and punycode */
            domain: string;
            /**
             * @description `dns`: a TXT record; `http`: a file on the website
             * @enum {string}
             */
            method: "dns" | "http";
            /**
             * @description The domain is verified
             * @enum {string}
             */
            ownership_status: "verified";
            /** @description Agent number */
            reg: string;
            /**
             * Format: date-time
             * @description Time of the verification
             */
            verified_at: string;
        };
        /** @description What to publish to verify a domain */
        OwnershipChallenge: components["schemas"]["DnsChallenge"] | components["schemas"]["HttpChallenge"];
        /** @description Position of a page in its list */
        Pagination: {
            /** @description Number of this page, starting at 1 */
            page: number;
            /** @description Maximum number of items per page */
            per_page: number;
            /** @description Total number of items on all pages */
            total: number;
            /** @description Number of pages */
            total_pages: number;
        };
        /** @description Final trust score of a past UTC day, or the most recent score of the current day */
        PastTrustScore: {
            /** @description Correctness of outputs */
            accuracy: number;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            computed_at: string;
            /** @description How even the results are: lowered by days on which a large share of the tasks failed */
            consistency: number;
            /**
             * Format: date
             * @description The UTC day of the score
             */
            day: string;
            /** @description Number of events in the window */
            events_considered: number;
            /** @description Weighted sum of the five dimensions */
            overall: number;
            /** @description Share of tasks completed, reduced by downtime */
            reliability: number;
            /** @description Inverse of the frequency and severity of incidents, `error` events, and other events of severity `critical` */
            safety: number;
            /** @description Response times */
            speed: number;
        };
        /** @description Daily trust scores of an agent */
        PastTrustScoreList: {
            /** @description The scores, newest first */
            data: components["schemas"]["PastTrustScore"][];
        };
        /** @description Platform, as shown to the operator who registered it */
        Platform: {
            /**
             * @description `open`: the platform receives all webhook events about every agent whose operator states that it is on the platform. `approval`: for an agent that it has not confirmed, the platform receives only `agent.registered`, and its keys can neither report on that agent nor read more of its activity log than the public can
             * @enum {string}
             */
            admission: "open" | "approval";
            /** @description Number of failed attempts since any URL of the platform last returned 2xx, counted while the current URL has never returned 2xx; from 50 on, the webhook is disabled */
            attempts_without_response: number;
            /** @description Number of deliveries that failed since the last success */
            consecutive_failures: number;
            /**
             * Format: date-time
             * @description Time of the registration
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the registry began to distrust the platform. Its reports since then cannot have the source `independent`, nor can those of other platforms of the same person. Null if it is not distrusted
             */
            distrusted_at: string | null;
            /**
             * Format: date-time
             * @description When the platform became established, because enough verified operators had worked with it. Its reports since then have the source `independent` instead of `peer`. Null if it is not established
             */
            established_at: string | null;
            /** @description Event types that are sent; null for all */
            event_types: ("agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified")[] | null;
            /**
             * Format: date-time
             * @description When the first of the `consecutive_failures` deliveries failed; null if there are none
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description When `webhook_url` last returned 2xx, to the minute; null if it never did
             */
            last_response_at: string | null;
            /** @description Stated by the operator; not checked */
            name: string;
            /**
             * Format: date-time
             * @description Time until which webhooks are also signed with the previous secret; null if they are signed only with the current one
             */
            previous_secret_expires_at: string | null;
            /** @description Permanent slug of the platform */
            slug: string;
            /**
             * @description `retired` is permanent: the platform accepts no agents, cannot report, and receives no webhooks; its slug remains reserved
             * @enum {string}
             */
            status: "active" | "retired";
            /**
             * Format: date-time
             * @description When the registry withheld the texts of the platform from everyone else; null while they are shown
             */
            texts_withheld_at: string | null;
            /**
             * Format: date-time
             * @description Time until which events are skipped because your platforms made 180 attempts to URLs that have never returned 2xx on this UTC day; null if the URL has returned 2xx, or fewer were made
             */
            webhook_paused_until: string | null;
            /**
             * @description `disabled` after repeated failures, after 50 attempts if the URL has never returned 2xx, or after a response with status 410. Events are skipped until the webhook is enabled again
             * @enum {string}
             */
            webhook_status: "enabled" | "disabled";
            /** @description URL that receives webhooks; null if none */
            webhook_url: string | null;
        };
        /** @description Agent on a platform, as shown to the platform */
        PlatformAgent: {
            /**
             * @description Stated by the operator; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description Stated by the operator; not checked */
            name: string;
            /**
             * Format: uuid
             * @description ID of the operator: permanent, public, and the same on all of its agents, so it links them permanently
             */
            operator_id: string;
            /**
             * @description `verified`: Stripe Identity checked an identity document of a person behind this account within the last 365 days. This does not confirm who the person is, the operator name, or a company
             * @enum {string}
             */
            operator_kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description Stated by the operator; not checked unless the name is marked as verified */
            operator_name: string;
            /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description `suspended`: the credentials of this operator are accepted only for public reads; its agents remain public, but its texts are withheld
             * @enum {string}
             */
            operator_status: "active" | "suspended";
            /**
             * @description `verified`: the operator controls `domain`, which is checked again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /**
             * Format: date-time
             * @description When the agent leaves, as requested by its operator; null if it stays
             */
            platform_leaves_at: string | null;
            /**
             * Format: date-time
             * @description When the agent joined; of the events reported before, you can read only those that are public
             */
            platform_since: string;
            /**
             * @description `claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; `retired`: the platform is retired
             * @enum {string}
             */
            platform_state: "claimed" | "confirmed" | "retired";
            /** @description Agent number */
            reg: string;
            /**
             * Format: date-time
             * @description Time of the registration
             */
            registered_at: string;
            /**
             * @description Status of the agent; a deactivation is permanent
             * @enum {string}
             */
            status: "active" | "deactivated";
            /** @description Number of completed tasks */
            tasks_completed: number;
            /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
            trust_score_overall: string | null;
            /**
             * Format: date-time
             * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
             */
            trust_score_updated: string | null;
            /** @description Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform */
            withheld?: ("name" | "name_verified" | "description" | "specializations" | "homepage_url" | "card_url" | "operator_name" | "operator_name_verified" | "platform_name" | "event_type" | "metadata" | "title" | "resolution")[];
        };
        /** @description Page of agents on a platform */
        PlatformAgentPage: {
            /** @description Items of this page */
            data: components["schemas"]["PlatformAgent"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description API key to create for a platform */
        PlatformApiKeyInput: {
            /**
             * Format: date-time
             * @description Time at which the key expires, in UTC unless it has an offset; must be in the future. If omitted, the key does not expire
             */
            expires_at?: string | null;
            /** @description Name of the key */
            name: string;
            /** @description Permissions of the key; `read` by default */
            permissions?: ("read" | "activity:report")[];
            /** @description Maximum number of requests per minute; at most the maximum of your tier. If omitted, 60 */
            rate_limit_per_minute?: number | null;
        };
        /** @description At least one field */
        PlatformChanges: {
            /**
             * @description `open`: the platform receives all webhook events about every agent whose operator states that it is on the platform. `approval`: for an agent that it has not confirmed, the platform receives only `agent.registered`, and its keys can neither report on that agent nor read more of its activity log than the public can
             * @enum {string}
             */
            admission?: "open" | "approval";
            /** @description Event types to send; null for all */
            event_types?: ("agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified")[] | null;
            /** @description Display name */
            name?: string;
            /**
             * @description Enables a disabled webhook; skipped deliveries remain skipped; to deliver their events, use `recover` or `redeliver`
             * @enum {string}
             */
            webhook_status?: "enabled";
            /** @description HTTPS URL that receives webhooks; null stops them */
            webhook_url?: string | null;
        };
        /** @description New platform, including its webhook secret */
        PlatformCreated: {
            /**
             * @description `open`: the platform receives all webhook events about every agent whose operator states that it is on the platform. `approval`: for an agent that it has not confirmed, the platform receives only `agent.registered`, and its keys can neither report on that agent nor read more of its activity log than the public can
             * @enum {string}
             */
            admission: "open" | "approval";
            /**
             * Format: date-time
             * @description Time of the registration
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the registry began to distrust the platform. Its reports since then cannot have the source `independent`, nor can those of other platforms of the same person. Null if it is not distrusted
             */
            distrusted_at: string | null;
            /**
             * Format: date-time
             * @description When the platform became established, because enough verified operators had worked with it. Its reports since then have the source `independent` instead of `peer`. Null if it is not established
             */
            established_at: string | null;
            /** @description Event types that are sent; null for all */
            event_types: ("agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified")[] | null;
            /** @description Stated by the operator; not checked */
            name: string;
            /** @description Permanent slug of the platform */
            slug: string;
            /**
             * @description `retired` is permanent: the platform accepts no agents, cannot report, and receives no webhooks; its slug remains reserved
             * @enum {string}
             */
            status: "active" | "retired";
            /** @description Secret that signs the webhooks; returned only once */
            webhook_secret: string;
            /**
             * @description `disabled` after repeated failures, after 50 attempts if the URL has never returned 2xx, or after a response with status 410. Events are skipped until the webhook is enabled again
             * @enum {string}
             */
            webhook_status: "enabled" | "disabled";
            /** @description URL that receives webhooks; null if none */
            webhook_url: string | null;
        };
        /** @description Platform to register */
        PlatformInput: {
            /**
             * @description `open`: the platform receives all webhook events about every agent whose operator states that it is on the platform. `approval`: for an agent that it has not confirmed, the platform receives only `agent.registered`, and its keys can neither report on that agent nor read more of its activity log than the public can. `open`, if omitted
             * @enum {string}
             */
            admission?: "open" | "approval";
            /** @description Event types to send; all, if omitted */
            event_types?: ("agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified")[] | null;
            /** @description Display name */
            name: string;
            /** @description Permanent identifier of the platform; some words are reserved */
            slug: string;
            /** @description HTTPS URL that receives webhooks; none, if omitted */
            webhook_url?: string | null;
        };
        /** @description Page of platforms */
        PlatformPage: {
            /** @description Items of this page */
            data: components["schemas"]["Platform"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Public record of a platform */
        PlatformProfile: {
            /**
             * @description `open`: the platform receives all webhook events about every agent whose operator states that it is on the platform. `approval`: for an agent that it has not confirmed, the platform receives only `agent.registered`, and its keys can neither report on that agent nor read more of its activity log than the public can
             * @enum {string}
             */
            admission: "open" | "approval";
            /**
             * Format: date-time
             * @description Time of the registration
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the registry began to distrust the platform. Its reports since then cannot have the source `independent`, nor can those of other platforms of the same person. Null if it is not distrusted
             */
            distrusted_at: string | null;
            /**
             * Format: date-time
             * @description When the platform became established, because enough verified operators had worked with it. Its reports since then have the source `independent` instead of `peer`. Null if it is not established
             */
            established_at: string | null;
            /** @description Stated by the operator; not checked */
            name: string;
            /**
             * @description `suspended`: the credentials of this operator are accepted only for public reads; its agents remain public, but its texts are withheld
             * @enum {string}
             */
            operator_status: "active" | "suspended";
            /** @description Permanent slug of the platform */
            slug: string;
            /**
             * @description `retired` is permanent: the platform accepts no agents, cannot report, and receives no webhooks; its slug remains reserved
             * @enum {string}
             */
            status: "active" | "retired";
            /** @description Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform */
            withheld?: ("name" | "name_verified" | "description" | "specializations" | "homepage_url" | "card_url" | "operator_name" | "operator_name_verified" | "platform_name" | "event_type" | "metadata" | "title" | "resolution")[];
        };
        /** @description Removal of an agent from a platform */
        PlatformRemoval: {
            /**
             * Format: date-time
             * @description The agent cannot join the platform again before this time
             */
            barred_until: string;
            /** @description Slug of the platform */
            platform_slug: string;
            /** @description Agent number */
            reg: string;
            /**
             * Format: date-time
             * @description Time of the removal
             */
            removed_at: string;
        };
        /** @description Public record of an operator */
        PublicOperator: {
            /** @description Number of active agents */
            agent_count: number;
            /**
             * Format: date-time
             * @description Time at which the account was created
             */
            created_at: string;
            /** @description Number of distinct verified domains of its active agents; each domain is checked again every week */
            domain_count: number;
            /** @description Verified domains of its active agents in alphabetical order, at most 100 */
            domains: string[];
            /**
             * Format: uuid
             * @description ID of the operator: permanent, public, and the same on all of its agents, so it links them permanently
             */
            id: string;
            /**
             * @description `verified`: Stripe Identity checked an identity document of a person behind this account within the last 365 days. This does not confirm who the person is, the operator name, or a company
             * @enum {string}
             */
            kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description Stated by the operator; not checked unless the name is marked as verified */
            name: string;
            /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
            name_verified: boolean;
            /**
             * @description `suspended`: the credentials of this operator are accepted only for public reads; its agents remain public, but its texts are withheld
             * @enum {string}
             */
            status: "active" | "suspended";
            /** @description Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform */
            withheld?: ("name" | "name_verified" | "description" | "specializations" | "homepage_url" | "card_url" | "operator_name" | "operator_name_verified" | "platform_name" | "event_type" | "metadata" | "title" | "resolution")[];
        };
        /** @description Result of a recovery */
        Recovered: {
            /** @description Number of events that are redelivered */
            count: number;
            /** @description Whether more events are left; if true, call again */
            more: boolean;
        };
        /** @description Events to deliver again */
        RecoverInput: {
            /** @description ISO 8601 time, in UTC unless it has an offset, or date (00:00 UTC of that day); at most 14 days in the past */
            since: string;
        };
        /** @description Present only if the metadata of the event was redacted */
        Redaction: {
            /**
             * Format: date-time
             * @description Time of the redaction
             */
            at: string;
            /**
             * @description `law`: required by law or a court; `secret`: the metadata contained a credential; `personal`: it contained personal data
             * @enum {string}
             */
            reason: "law" | "secret" | "personal";
        };
        /** @description Rejected event of a batch */
        RejectedResult: {
            /** @description Why the event was not stored */
            error: {
                /** @description Error code, as for a single report */
                code: string;
                /** @description Human-readable message; names the field and its rule */
                message: string;
                /** @description Same as the status of the result */
                status: number;
            };
            /** @description Position of the event in the request, starting at 0 */
            index: number;
            /** @description HTTP status that a single report would have returned */
            status: number;
        };
        /** @description Activity event that was just reported */
        ReportedActivityEvent: {
            /**
             * Format: uuid
             * @description ID of the agent
             */
            agent_id: string;
            /**
             * Format: date-time
             * @description Time at which the event was stored
             */
            created_at: string;
            /** @description Type of the event, as reported; `other` in place of a custom type that is withheld */
            event_type: string;
            /**
             * Format: uuid
             * @description ID of the record
             */
            id: string;
            /** @description Metadata of the event, as reported; `{}` if it was redacted or is withheld */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Slug of the platform that reported the event; null for the operator of the agent */
            platform: string | null;
            /** @description Present only if the request has the header `Prefer: return=receipt`, an event was stored, and the registry signs tokens and has a log: a JSON Web Signature (ES256) with which it promises that the stored events will be in its transparency log within 24 hours */
            receipt?: string;
            redacted?: components["schemas"]["Redaction"];
            /**
             * @description Whether the operator of the agent or its platform reported the event
             * @enum {string}
             */
            reported_by: "operator" | "platform";
            /**
             * @description Severity of the event
             * @enum {string}
             */
            severity: "info" | "warning" | "error" | "critical";
            /**
             * @description Who reported the event, as determined at that time. `self`: the operator of the agent, or a platform whose operator may be the same person; `unproven`: a platform whose operator has passed an identity check, while the operator of the agent has not: that they are two persons is not proven; `peer`: a platform whose operator is a different person, as identity checks showed; `independent`: a platform that meets the condition of `peer`, is established (enough verified operators have worked with it), and is not distrusted
             * @enum {string}
             */
            source: "self" | "unproven" | "peer" | "independent";
        };
        /** @description Resolution of an incident */
        ResolutionInput: {
            /** @description How the incident was resolved; public */
            resolution: string;
        };
        /** @description A risk that the score does not show on its own */
        RiskFactor: {
            /**
             * @description `RECORD_SHORT`: the score is provisional; `RECORD_STALE`: the newest task is at least 30 days old; `RECORD_BURST`: one day has more than 10 times the tasks of the median day; `RECORD_UNATTESTED`: no task was reported by a platform of another verified person; `RECORD_UNPROVEN`: platforms report tasks, but the identity of the operator is not known, so none is attested; `RECORD_PEER_ONLY`: tasks have the source `peer`, but none has the source `independent`; `RECORD_CONTRADICTED`: the share of completed tasks is larger among self-reported tasks (source `self`) than among tasks from other sources, by more than 3 standard errors, and each of the two groups has at least 20 tasks; `RELIABILITY_OUTAGE`: an outage is open that began before today; `RELIABILITY_DOWNTIME`: unplanned downtime is at least 1%; `RELIABILITY_RECENT`: the value of the newest 70 tasks, without self-reports, is more than 1 point below that of the whole window; `RELIABILITY_LOW`: reliability is below 50; `ACCURACY_NO_EVIDENCE`: there are no grades; `ACCURACY_PARTIAL_EVIDENCE`: less than half of the completed tasks were reported with grades; `ACCURACY_UNATTESTED`: only tasks that are not attested have grades, although attested ones are reported, too; `ACCURACY_RECENT`: the value of the newest 70 tasks, without self-reports, is more than 1 point below that of the whole window; `ACCURACY_LOW`: accuracy is below 50; `SAFETY_RECENT_CRITICAL`: a critical event is less than 30 days old; `SAFETY_PAST_CRITICAL`: the newest critical event is 30 to 89 days old; `SAFETY_LOW`: safety is below 50; `SPEED_NO_EVIDENCE`: there are no response times; `SPEED_PARTIAL_EVIDENCE`: less than half of the completed tasks were reported with response times; `SPEED_UNATTESTED`: only tasks that are not attested have response times, although attested ones are reported, too; `SPEED_RECENT`: the value of the newest 70 tasks, without self-reports, is more than 1 point below that of the whole window; `SPEED_LOW`: speed is below 50; `CONSISTENCY_LOW`: consistency is below 50
             * @enum {string}
             */
            code: "RECORD_SHORT" | "RECORD_STALE" | "RECORD_BURST" | "RECORD_UNATTESTED" | "RECORD_UNPROVEN" | "RECORD_PEER_ONLY" | "RECORD_CONTRADICTED" | "RELIABILITY_OUTAGE" | "RELIABILITY_DOWNTIME" | "RELIABILITY_RECENT" | "RELIABILITY_LOW" | "ACCURACY_NO_EVIDENCE" | "ACCURACY_PARTIAL_EVIDENCE" | "ACCURACY_UNATTESTED" | "ACCURACY_RECENT" | "ACCURACY_LOW" | "SAFETY_RECENT_CRITICAL" | "SAFETY_PAST_CRITICAL" | "SAFETY_LOW" | "SPEED_NO_EVIDENCE" | "SPEED_PARTIAL_EVIDENCE" | "SPEED_UNATTESTED" | "SPEED_RECENT" | "SPEED_LOW" | "CONSISTENCY_LOW";
            /**
             * @description The dimension that the risk affects; `overall` if it affects all of them
             * @enum {string}
             */
            dimension: "overall" | "reliability" | "accuracy" | "safety" | "speed" | "consistency";
            /** @description Human-readable explanation */
            message: string;
        };
        /** @description Counters of the reports of one source on one UTC day */
        RollupRow: {
            /** @description Completed tasks */
            completed: number;
            /**
             * Format: date
             * @description UTC day
             */
            day: string;
            /** @description Seconds of unplanned downtime, in intervals that ended on this day */
            down_seconds: number;
            /** @description Events of any type */
            events: number;
            /** @description Failed tasks */
            failed: number;
            /** @description Completed tasks with a grade (`quality` or `correct`) */
            graded_count: number;
            /** @description Sum of the grades, in thousandths */
            graded_milli: number;
            /** @description Events of any type with severity `critical` */
            incidents_critical: number;
            /** @description Incidents of severity `error` */
            incidents_error: number;
            /** @description Incidents of severity `info`, and `error` events of severity `warning` */
            incidents_info: number;
            /** @description Incidents of severity `warning`, and `error` events of severity `error` */
            incidents_warning: number;
            /** @description Completed tasks with a response time (`response_ms`) */
            latency_count: number;
            /** @description Response times up to 2 s */
            latency_satisfied: number;
            /** @description Response times above 2 s, up to 8 s */
            latency_tolerating: number;
            /**
             * @description Source of the reports
             * @enum {string}
             */
            source: "self" | "unproven" | "peer" | "independent";
        };
        /** @description Agent, as shown in search results */
        SearchItem: {
            /**
             * @description A: autonomous, S: semi-autonomous, H: human-assisted. Stated by the operator; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description Stated by the operator; not checked */
            name: string;
            /** @description Stated by the operator; `operator_name_verified` of the profile shows whether it was checked */
            operator_name: string;
            /** @description Agent number */
            reg: string;
            /**
             * @description Status of the agent; a deactivation is permanent
             * @enum {string}
             */
            status: "active" | "deactivated";
            /** @description Number of completed tasks */
            tasks_completed: number;
            /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
            trust_score_overall: string | null;
        };
        /** @description Page of search results */
        SearchPage: {
            /** @description Items of this page */
            data: components["schemas"]["SearchItem"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Active session of an operator */
        Session: {
            /**
             * Format: date-time
             * @description Time of creation
             */
            created_at: string;
            /** @description Whether this is the session of the current request */
            current: boolean;
            /**
             * Format: date-time
             * @description Time at which the session expires
             */
            expires_at: string;
            /** @description ID of the session; the audit log refers to it */
            id: string;
            /** @description Name of a session token that was created in the console for a program; null for a sign-in */
            name: string | null;
        };
        /** @description Page of sessions */
        SessionPage: {
            /** @description Items of this page */
            data: components["schemas"]["Session"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description New session and its operator */
        SignedIn: {
            /**
             * Format: date-time
             * @description Time at which the session expires
             */
            expires_at: string;
            operator: components["schemas"]["Operator"];
            /** @description Session token; returned only once */
            session_token: string;
        };
        /** @description Stored event of a batch */
        StoredResult: {
            event: components["schemas"]["ActivityEvent"];
            /** @description Position of the event in the request, starting at 0 */
            index: number;
            /**
             * @description Always 201; distinguishes a stored event from a rejected one
             * @enum {number}
             */
            status: 201;
            /** @description Likely mistakes in the body, at most five; the request took effect nevertheless */
            warnings?: components["schemas"]["Warning"][];
        };
        /** @description Inputs of a trust score */
        TrustInputs: {
            /** @description Version of the scoring algorithm */
            algorithm_version: string;
            /** @description How many sides (the operator; others) say that the agent has been down since before `today`: a shutdown of severity `error` or `critical` without a later `startup` or `task_completed` */
            open_outages: number;
            /** @description Agent number */
            reg: string;
            /** @description One row per source and UTC day with events, sorted by day (oldest first), then by source (`self`, `unproven`, `peer`, `independent`) */
            rows: components["schemas"]["RollupRow"][];
            /** @description Score that the algorithm computes from the rows; null if there are too few tasks */
            score: {
                /** @description Correctness of outputs */
                accuracy: number;
                /** @description Factor from 0 to 1 for reliability and safety: a value above 50 in either dimension becomes 50 + `confidence` × (value − 50) */
                confidence: number;
                /** @description How even the results are: lowered by days on which a large share of the tasks failed */
                consistency: number;
                /** @description Number of events in the window */
                events_considered: number;
                /** @description Weighted sum of the five dimensions */
                overall: number;
                /** @description True if `confidence` is below 1, because the evidence in favor of the agent is worth fewer than 50 tasks */
                provisional: boolean;
                /** @description Share of tasks completed, reduced by downtime */
                reliability: number;
                /** @description Inverse of the frequency and severity of incidents, `error` events, and other events of severity `critical` */
                safety: number;
                /** @description Response times */
                speed: number;
            } | null;
            /** @description SHA-256, in lowercase hex, of a JSON array without whitespace. It contains an array for each row, with the values of the row in the order in which `RollupRow` lists its fields; if `open_outages` is not 0, it is the last element of the outer array */
            sha256: string;
            /**
             * Format: date
             * @description Last UTC day of the window; for a deactivated agent, not later than the day of its deactivation
             */
            today: string;
        };
        /** @description Trust score of an agent; each value is from 0.0 to 100.0 */
        TrustScore: {
            /** @description Correctness of outputs */
            accuracy: number;
            /** @description Version of the scoring algorithm */
            algorithm_version: string;
            /** @description Length of the rolling window in days */
            computation_window_days: number;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            computed_at: string;
            /** @description How even the results are: lowered by days on which a large share of the tasks failed */
            consistency: number;
            /** @description Number of events in the window */
            events_considered: number;
            /** @description Weighted sum of the five dimensions */
            overall: number;
            /** @description Agent number */
            reg: string;
            /** @description Share of tasks completed, reduced by downtime */
            reliability: number;
            /** @description Inverse of the frequency and severity of incidents, `error` events, and other events of severity `critical` */
            safety: number;
            /** @description Response times */
            speed: number;
        };
        /** @description The trust score of an agent crossed 40, 60, or 80, up or down */
        TrustThresholdCrossedEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /**
                 * @description Direction of the change
                 * @enum {string}
                 */
                direction: "up" | "down";
                /** @description New overall score */
                new_score: number;
                /** @description 0 if this is the first score */
                previous_score: number;
                /** @description Agent number */
                reg: string;
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /**
                 * @description Threshold that was crossed
                 * @enum {number}
                 */
                threshold: 40 | 60 | 80;
                /**
                 * @description Present in the first event after some were not sent: of all `trust.*` and `incident.*` events about the claimed agents of an operator, a platform gets at most 5 per UTC minute
                 * @enum {boolean}
                 */
                truncated?: true;
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "trust.threshold_crossed";
        };
        /** @description The trust score of an agent was recomputed and changed */
        TrustUpdatedEvent: {
            /**
             * Format: date-time
             * @description Time of the event
             */
            created_at: string;
            /** @description Data of the event */
            data: {
                /** @description New scores of the five dimensions */
                dimensions: {
                    /** @description From 0.0 to 100.0 */
                    accuracy: number;
                    /** @description From 0.0 to 100.0 */
                    consistency: number;
                    /** @description From 0.0 to 100.0 */
                    reliability: number;
                    /** @description From 0.0 to 100.0 */
                    safety: number;
                    /** @description From 0.0 to 100.0 */
                    speed: number;
                };
                /** @description New overall score */
                new_score: number;
                /** @description 0 if this is the first score */
                previous_score: number;
                /** @description Agent number */
                reg: string;
                /**
                 * @description Present only in test events
                 * @enum {boolean}
                 */
                test?: true;
                /**
                 * @description Present in the first event after some were not sent: of all `trust.*` and `incident.*` events about the claimed agents of an operator, a platform gets at most 5 per UTC minute
                 * @enum {boolean}
                 */
                truncated?: true;
            };
            /** @description ID of the event; the same in every attempt and redelivery */
            id: string;
            /**
             * @description Event type; determines the fields of `data` (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "trust.updated";
        };
        /** @description Verification of an agent */
        Verification: {
            /** @description Whether the agent is active */
            active: boolean;
            /**
             * Format: date-time
             * @description Time of the verification
             */
            checked_at: string;
            /**
             * @description Stated by the operator; not checked
             * @enum {string}
             */
            class: "A" | "S" | "H";
            /** @description Verified domain of the agent, in punycode; null unless `ownership_status` is `verified` */
            domain: string | null;
            /** @description Stated by the operator; not checked */
            name: string;
            /**
             * Format: uuid
             * @description ID of the operator: permanent, public, and the same on all of its agents, so it links them permanently
             */
            operator_id: string;
            /**
             * @description `verified`: Stripe Identity checked an identity document of a person behind this account within the last 365 days. This does not confirm who the person is, the operator name, or a company
             * @enum {string}
             */
            operator_kyc_status: "unverified" | "pending" | "verified" | "failed" | "expired";
            /** @description Stated by the operator; not checked unless the name is marked as verified */
            operator_name: string;
            /** @description True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong */
            operator_name_verified: boolean;
            /**
             * @description `suspended`: the credentials of this operator are accepted only for public reads; its agents remain public, but its texts are withheld
             * @enum {string}
             */
            operator_status: "active" | "suspended";
            /**
             * @description `verified`: the operator controls `domain`, which is checked again every week
             * @enum {string}
             */
            ownership_status: "unverified" | "verified";
            /** @description Agent number */
            reg: string;
            /**
             * @description Always true; for an unknown number, the endpoint returns 404
             * @enum {boolean}
             */
            registered: true;
            /**
             * @description The record of the agent in one word; the first that applies: `suspended`: its operator is suspended; `deactivated`: the agent is deactivated; `critical`: a critical incident is open, or a critical event is less than 30 days old; `unrated`: it has no score, because too little was reported; `poor`: its score is below 45.0; `self_reported`: no task in the window has the source `peer` or `independent`; `mixed`: its score is below 60.0; `attested`: fewer than 10 tasks have the source `independent`, or these are of fewer than 3 days, or the score is provisional; `established`: none of the others applies
             * @enum {string}
             */
            standing: "suspended" | "deactivated" | "critical" | "unrated" | "poor" | "self_reported" | "mixed" | "attested" | "established";
            /** @description Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score */
            trust_score_overall: string | null;
            /**
             * Format: date-time
             * @description Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score
             */
            trust_score_updated: string | null;
            /** @description Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform */
            withheld?: ("name" | "name_verified" | "description" | "specializations" | "homepage_url" | "card_url" | "operator_name" | "operator_name_verified" | "platform_name" | "event_type" | "metadata" | "title" | "resolution")[];
        };
        /** @description Signed verification of an agent */
        VerificationToken: {
            /**
             * Format: date-time
             * @description Time at which the token expires
             */
            expires_at: string;
            /** @description A JSON Web Signature in compact form (ES256). Claims: `iss` is the URL of this service, `sub` the agent number, `iat` the start of the current minute, `exp` 15 minutes later, `verification` the response of GET /verify/{reg}, and `log` the newest signed head of the transparency log, omitted if there is none */
            token: string;
        };
        /** @description Part of a response to a body */
        Warned: {
            /** @description Likely mistakes in the body, at most five; the request took effect nevertheless */
            warnings?: components["schemas"]["Warning"][];
        };
        /** @description Likely mistake in the body of a request */
        Warning: {
            /**
             * @description `near_miss`: the field or value resembles one that the registry uses; `unused`: the field has no effect here; `bad_value`: the score cannot use the value
             * @enum {string}
             */
            code: "near_miss" | "unused" | "bad_value";
            /** @description Path in the body, such as `metadata.duration` */
            field: string;
            /** @description Human-readable message */
            message: string;
        };
        /** @description Webhook event; `type` determines the fields of `data` */
        WebhookEvent: components["schemas"]["AgentRegisteredEvent"] | components["schemas"]["AgentUpdatedEvent"] | components["schemas"]["AgentDeactivatedEvent"] | components["schemas"]["AgentOwnershipVerifiedEvent"] | components["schemas"]["TrustUpdatedEvent"] | components["schemas"]["TrustThresholdCrossedEvent"] | components["schemas"]["IncidentCreatedEvent"] | components["schemas"]["IncidentResolvedEvent"] | components["schemas"]["OperatorKycVerifiedEvent"];
        /** @description New webhook secret */
        WebhookSecretRotated: {
            /**
             * Format: date-time
             * @description Time until which webhooks are also signed with the previous secret
             */
            previous_secret_expires_at: string;
            /** @description Permanent slug of the platform */
            slug: string;
            /** @description Secret that signs the webhooks; returned only once */
            webhook_secret: string;
        };
        /** @description Test event to send */
        WebhookTestInput: {
            /**
             * @description Event type of the test event
             * @enum {string}
             */
            type: "agent.registered" | "agent.updated" | "agent.deactivated" | "agent.ownership_verified" | "trust.updated" | "trust.threshold_crossed" | "incident.created" | "incident.resolved" | "operator.kyc_verified";
        };
    };
    responses: {
        /** @description `AGENT_DEACTIVATED`: The agent was permanently deactivated by its operator; the event was not stored */
        AGENT_DEACTIVATED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "AGENT_DEACTIVATED";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 410;
                    };
                };
            };
        };
        /** @description `AGENT_LIMIT_REACHED`: The operator has as many active agents as its tier allows; nothing was registered */
        AGENT_LIMIT_REACHED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "AGENT_LIMIT_REACHED";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 402;
                    };
                };
            };
        };
        /** @description `CONFLICT`: The request is valid, but conflicts with the current state of the resource; nothing was changed */
        CONFLICT: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "CONFLICT";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 409;
                    };
                };
            };
        };
        /** @description `FORBIDDEN`: The credential is valid, but the caller is not allowed to do this: a permission is missing, the resource belongs to another operator, or the operator is suspended */
        FORBIDDEN: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "FORBIDDEN";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 403;
                    };
                };
            };
        };
        /** @description `IDEMPOTENCY_MISMATCH`: Within the last 24 hours, the Idempotency-Key was already used with a different body */
        IDEMPOTENCY_MISMATCH: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "IDEMPOTENCY_MISMATCH";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 422;
                    };
                };
            };
        };
        /** @description `INTERNAL_ERROR`: An error in the service, which was logged with the ID in X-Request-Id */
        INTERNAL_ERROR: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "INTERNAL_ERROR";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 500;
                    };
                };
            };
        };
        /** @description `NOT_FOUND`: The path or resource does not exist, or the caller is not allowed to see it */
        NOT_FOUND: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "NOT_FOUND";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 404;
                    };
                };
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body exceeds the size limit of the endpoint; nothing was stored */
        PAYLOAD_TOO_LARGE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "PAYLOAD_TOO_LARGE";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 413;
                    };
                };
            };
        };
        /** @description `RATE_LIMITED`: The rate limit per minute or, if the message says so, a quota for this UTC day is exceeded; nothing was stored */
        RATE_LIMITED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 429;
                    };
                };
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: A service that the registry depends on is unavailable or slow at the moment */
        SERVICE_UNAVAILABLE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "SERVICE_UNAVAILABLE";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 503;
                    };
                };
            };
        };
        /** @description `UNAUTHORIZED`: The credential is missing, mistyped, unknown, expired, revoked, or of the wrong kind */
        UNAUTHORIZED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 401;
                    };
                };
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is compressed or not declared as JSON */
        UNSUPPORTED_MEDIA_TYPE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "UNSUPPORTED_MEDIA_TYPE";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 415;
                    };
                };
            };
        };
        /** @description `VALIDATION_ERROR`: A body field, a parameter, or a header is invalid; nothing was stored */
        VALIDATION_ERROR: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR";
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 400;
                    };
                };
            };
        };
        /**
         * @description `VALIDATION_ERROR`: A body field, a parameter, or a header is invalid; nothing was stored
         *
         *     `NO_UPDATES`: The body contains no field to change
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
                        /** @description Human-readable explanation; for invalid input, it names each field and its rule */
                        message: string;
                        /** @enum {integer} */
                        status: 400;
                    };
                };
            };
        };
    };
    parameters: {
        /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
        RegSignature: string;
        /** @description Time of this attempt, as Unix time in seconds */
        RegTimestamp: string;
        /** @description `id` of the event (Standard Webhooks) */
        WebhookId: string;
        /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
        WebhookSignature: string;
        /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
        WebhookTimestamp: string;
    };
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
                /** @description For 24 hours, a request with the same key and body returns the response to the first one */
                "Idempotency-Key"?: string;
                /** @description With `return=receipt`, the response has a signed receipt (RFC 7240) */
                Prefer?: string;
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
            /** @description The stored event */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedActivityEvent"] & components["schemas"]["Warned"];
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
                /** @description For 24 hours, a request with the same key and body returns the response to the first one */
                "Idempotency-Key"?: string;
                /** @description With `return=receipt`, the response has a signed receipt (RFC 7240) */
                Prefer?: string;
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
            /** @description All events were stored */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"] & components["schemas"]["Warned"];
                };
            };
            /** @description Some events were not stored, or none, which programs should treat as an error: the result of each states why */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"] & components["schemas"]["Warned"];
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
    getAgentKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Thumbprint of the key (RFC 7638, SHA-256) */
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentKey"];
                };
            };
            /** @description Not modified since the response with this ETag */
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
    getAgentKeyToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Thumbprint of the key (RFC 7638, SHA-256) */
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationToken"];
                };
            };
            /** @description Not modified since the response with this ETag */
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
    registerAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description For 24 hours, a request with the same key and body returns the response to the first one */
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
                    "application/json": components["schemas"]["Agent"] & components["schemas"]["Warned"];
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
                /** @description Agent number: year, block, number within the block, check character */
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
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
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
                /** @description Agent number: year, block, number within the block, check character */
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
            /** @description The updated agent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"] & components["schemas"]["Warned"];
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
                /** @description Send an empty value (`cursor=`) for the first page, then `next_cursor` of the previous response. Only for the operator or the platform of the agent. */
                cursor?: string;
                /** @description Events at or after this time. A time without an offset is in UTC, and a date means 00:00 UTC of that day */
                from?: string;
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
                per_page?: number;
                /** @description Events before this time. A time without an offset is in UTC, and a date means 00:00 UTC of that day */
                to?: string;
                /** @description Only events of this type */
                type?: string;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
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
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
                per_page?: number;
                /** @description Only incidents with this status */
                status?: "open" | "resolved";
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
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
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listAgentKeys: {
        parameters: {
            query?: {
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
                per_page?: number;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
                reg: string;
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
                    "application/json": components["schemas"]["AgentKeyPage"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    addAgentKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentKeyInput"];
            };
        };
        responses: {
            /** @description The agent already has this valid key; nothing was changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentKey"] & components["schemas"]["Warned"];
                };
            };
            /** @description The key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentKey"] & components["schemas"]["Warned"];
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
    revokeAgentKey: {
        parameters: {
            query?: {
                /** @description Why the key is revoked; public, and permanently in the transparency log */
                reason?: "rotated" | "compromised" | "unused";
            };
            header?: never;
            path: {
                /** @description Thumbprint of the key (RFC 7638, SHA-256) */
                kid: string;
                /** @description Agent number: year, block, number within the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentKey"];
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
    listLogEntries: {
        parameters: {
            query?: {
                /** @description Leaves of events are returned only if their number (`seq` in the leaf, starting at 1 for each agent) is greater than this; leaves of other kinds are always returned */
                after?: number;
                /** @description Send an empty value (`cursor=`) for the first page, then `next_cursor` of the previous response */
                cursor?: string;
                /** @description Only leaves of this kind */
                kind?: "event" | "agent" | "incident" | "day" | "redaction" | "withholding" | "agent_key";
                /** @description Maximum number of leaves per page; without a credential of the agent's operator or platform, a page has at most 100. It ends earlier before it becomes larger than 1 MB */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
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
                    "application/json": components["schemas"]["LogEntryPage"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
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
                /** @description Agent number: year, block, number within the block, check character */
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
                /** @description Agent number: year, block, number within the block, check character */
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
                /** @description Adds an explanation of the score: weights, confidence, shares of events by source (`evidence`), basis of each dimension (`dimensions`), and risk factors */
                explain?: boolean;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The score, the explained score, or `insufficient_data` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyTrustScore"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listTrustScores: {
        parameters: {
            query?: {
                /** @description Maximum number of scores */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
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
                    "application/json": components["schemas"]["PastTrustScoreList"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getTrustInputs: {
        parameters: {
            query?: {
                /** @description Last UTC day of the window, not in the future; today, if omitted */
                date?: string;
            };
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows of the window, their hash, and the score */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustInputs"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    searchAgents: {
        parameters: {
            query?: {
                /** @description Only agents of this class. A: autonomous, S: semi-autonomous, H: human-assisted */
                class?: "A" | "S" | "H";
                /** @description Only agents whose verified domain is exactly this one; non-ASCII letters are converted to punycode */
                domain?: string;
                /** @description Only agents with at least this overall trust score */
                min_score?: number;
                /** @description Only agents of this operator, by `operator_id` */
                operator?: string;
                /** @description Only agents whose operator has this status; `active`, if omitted. The texts of agents of suspended operators are withheld, so `q` finds them only by their number */
                operator_status?: "active" | "suspended";
                /** @description Only agents with this ownership status; all, if omitted */
                ownership_status?: "unverified" | "verified";
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
                per_page?: number;
                /** @description Only agents on the platform with this slug */
                platform?: string;
                /** @description Words to find in the name, specializations, description, or agent number. Supports "quoted phrases", -excluded words, and `or`. Words joined by a hyphen are a phrase, in which the hyphen counts as a space. The last word also matches as a prefix. */
                q?: string;
                /** @description Only agents with exactly this specialization */
                specialization?: string;
                /** @description Only agents with this status; all, if omitted */
                status?: "active" | "deactivated";
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
                    "application/json": components["schemas"]["SearchPage"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
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
            /** @description The session; its token is returned only once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Redirect to the console, if the sign-in was started there */
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
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
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
                    "application/json": components["schemas"]["SessionPage"];
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
                /** @description Whether to keep the session of the current request */
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
                /** @description ID of the session, as shown in the list */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session is revoked */
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
                /** @description Email address, passed to the identity provider so that it does not have to ask for it */
                email?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect to the identity provider */
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
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
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
                /** @description ID of the incident */
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
                    "application/json": components["schemas"]["Incident"] & components["schemas"]["Warned"];
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
                /** @description ID of the operator */
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
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listOperatorLogEntries: {
        parameters: {
            query?: {
                /** @description Send an empty value (`cursor=`) for the first page, then `next_cursor` of the previous response */
                cursor?: string;
                /** @description Maximum number of leaves per page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of the operator */
                id: string;
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
                    "application/json": components["schemas"]["LogStatePage"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
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
            /** @description The updated operator */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"] & components["schemas"]["Warned"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR_or_NO_UPDATES"];
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
    listOwnAgents: {
        parameters: {
            query?: {
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
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
                    "application/json": components["schemas"]["OwnAgentPage"];
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
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
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
                    "application/json": components["schemas"]["ApiKeyCreated"] & components["schemas"]["Warned"];
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
                /** @description ID of the API key */
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
                /** @description ID of the API key */
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
            /** @description The updated key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"] & components["schemas"]["Warned"];
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
                action?: "session.started" | "session.ended" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "agent_key.added" | "agent_key.revoked" | "agent.deactivated" | "agent.platform_changed" | "agent.removed_from_platform" | "agent.texts_withheld" | "agent.texts_shown" | "ownership.verified" | "ownership.lost" | "kyc.started" | "kyc.verified" | "kyc.failed" | "kyc.canceled" | "platform.webhook_disabled" | "platform.registered" | "platform.updated" | "platform.enabled" | "platform.secret_rotated" | "platform.retired" | "platform.established" | "platform.distrusted" | "platform.distrust_ended" | "platform.agent_confirmed" | "platform.agent_removed" | "platform.texts_withheld" | "platform.texts_shown" | "operator.updated" | "operator.identity_released" | "operator.suspended" | "operator.unsuspended" | "operator.tier_changed" | "event.redacted" | "event.erased";
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Page of the audit log */
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
            /** @description The totals */
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
            /** @description The check, with the URL of the page on which the provider performs it */
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
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
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
                /** @description ID of the notification */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notification, with `read_at` set */
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
            /** @description Number of notifications that were unread */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsRead"];
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
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
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
                    "application/json": components["schemas"]["PlatformPage"];
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
                    "application/json": components["schemas"]["PlatformCreated"] & components["schemas"]["Warned"];
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
                    "application/json": components["schemas"]["AnyPlatform"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
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
            /** @description The updated platform */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Platform"] & components["schemas"]["Warned"];
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
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
                per_page?: number;
                /** @description Only agents with this `platform_state` */
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
                    "application/json": components["schemas"]["PlatformAgentPage"];
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
                /** @description Agent number: year, block, number within the block, check character */
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
                /** @description Agent number: year, block, number within the block, check character */
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
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
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
                    "application/json": components["schemas"]["ApiKeyPage"];
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
                    "application/json": components["schemas"]["ApiKeyCreated"] & components["schemas"]["Warned"];
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
                /** @description ID of the API key */
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
                /** @description ID of the API key */
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
            /** @description The updated key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"] & components["schemas"]["Warned"];
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
                /** @description Only deliveries created at or after this time. A time without an offset is in UTC, and a date means 00:00 UTC of that day */
                from?: string;
                /** @description Page number, starting at 1 */
                page?: number;
                /** @description Number of items per page */
                per_page?: number;
                /** @description Only deliveries of events about this agent, among the newest 10,000 that match the other filters */
                reg?: string;
                /** @description Only deliveries with this status */
                status?: "pending" | "delivered" | "failed" | "skipped";
                /** @description Only deliveries created before this time. A time without an offset is in UTC, and a date means 00:00 UTC of that day */
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
                /** @description ID of the delivery */
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
                /** @description ID of the delivery */
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
                /** @description ID of the delivery */
                id: string;
                /** @description Slug of the platform */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, with its next attempt due now */
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
            /** @description How many events are redelivered, and whether more are left */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovered"] & components["schemas"]["Warned"];
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
    listPlatformLogEntries: {
        parameters: {
            query?: {
                /** @description Send an empty value (`cursor=`) for the first page, then `next_cursor` of the previous response */
                cursor?: string;
                /** @description Maximum number of leaves per page */
                limit?: number;
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
            /** @description The leaves */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogStatePage"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
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
                    "application/json": components["schemas"]["Delivery"] & components["schemas"]["Warned"];
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
                /** @description Agent number: year, block, number within the block, check character */
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
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    verifyAgentInDetail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Agent number: year, block, number within the block, check character */
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
                /** @description Agent number: year, block, number within the block, check character */
                reg: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is registered; the token contains its verification */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationToken"];
                };
            };
            /** @description Not modified since the response with this ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHORIZED"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    receiveAgentDeactivatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "agent.deactivated";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentDeactivatedEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveAgentOwnershipVerifiedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "agent.ownership_verified";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentOwnershipVerifiedEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveAgentRegisteredEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "agent.registered";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentRegisteredEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveAgentUpdatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "agent.updated";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveIncidentCreatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "incident.created";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveIncidentResolvedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "incident.resolved";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentResolvedEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveOperatorKycVerifiedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "operator.kyc_verified";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorKycVerifiedEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTrustThresholdCrossedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "trust.threshold_crossed";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustThresholdCrossedEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTrustUpdatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description `id` of the event (Standard Webhooks) */
                "webhook-id": components["parameters"]["WebhookId"];
                /** @description `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after `whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks) */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Same as `X-REG-Timestamp` (Standard Webhooks) */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Event type; this header is not signed, so use `type` of the body */
                "X-REG-Event": "trust.updated";
                /** @description `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string */
                "X-REG-Signature": components["parameters"]["RegSignature"];
                /** @description Time of this attempt, as Unix time in seconds */
                "X-REG-Timestamp": components["parameters"]["RegTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was received; the receiver must respond within 30 seconds */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists: the delivery fails, and the webhook is disabled immediately */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed; the delivery is retried, with up to five attempts in total */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

import type * as z from 'zod'

/**
 * What a value must be, as a check of a schema. It does what `refine` does, which makes a schema of each rule: those are
 * made anew at every start of an isolate.
 *
 * @param holds whether the value is as it must be
 * @param message the error when it is not
 * @param options `abort`: whether the rules after it are then not looked at
 */
export function rule<Value>(
  holds: (value: Value) => boolean,
  message: string | ((value: Value) => string),
  { abort = false } = {},
): z.core.CheckFn<Value> {
  return ({ value, issues }) => {
    if (holds(value)) return
    const text = typeof message === 'string' ? message : message(value)
    issues.push({ code: 'custom', message: text, input: value, path: [], continue: !abort })
  }
}

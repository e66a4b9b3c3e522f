/**
 * The pages of the documentation site and the way to them, by what a person is doing. The pages are the files of the repository
 * themselves: none is copied, and a page that is not listed here is a mistake that a test finds. Paths are relative to the repository.
 */
export interface Part {
  readonly text: string
  /** File and what the navigation calls it; a heading may follow the file. */
  readonly pages: ReadonlyArray<readonly [file: string, text: string]>
}

export const parts: ReadonlyArray<Part> = [
  {
    text: "Begin",
    pages: [
      ["site/landing.md", "What it is"],
      ["README.md", "A tour"],
      ["docs/set-up.md", "Set up"],
      ["docs/coming-from.md", "Coming from another bot"],
      ["docs/deployed.md", "The deployed service"]
    ]
  },
  {
    text: "Decide what to trade",
    pages: [
      ["docs/strategies.md", "Strategy files"],
      ["docs/gallery/README.md", "Gallery"],
      ["docs/own-strategies.md", "Strategies of your own"],
      ["docs/backtest.md", "Backtests"],
      ["docs/python.md", "Plots in Python"]
    ]
  },
  {
    text: "Run it",
    pages: [
      ["docs/run.md", "Run"],
      ["docs/look.md", "Look"],
      ["docs/surfaces.md", "Watch and control"],
      ["docs/money.md", "Money"],
      ["docs/fleet.md", "Fleets"]
    ]
  },
  {
    text: "When something is wrong",
    pages: [
      ["docs/alarms.md", "Alarms"],
      ["docs/journal.md", "The journal"],
      ["docs/security.md", "Security"],
      ["SECURITY.md", "Report a vulnerability"]
    ]
  },
  {
    text: "Look up",
    pages: [
      ["docs/reference/commands.md", "Commands"],
      ["docs/run.md#exit-codes", "Exit codes"],
      ["docs/reference/configuration.md", "Configuration"],
      ["docs/strategies.md#what-every-file-has", "Keys of strategies"],
      ["docs/reference/control-api.md", "The control API"],
      ["docs/reference/events.md", "Events of the journal"],
      ["docs/stable.md", "What stays as it is"],
      ["CHANGELOG.md", "Changelog"]
    ]
  },
  {
    text: "Build on it",
    pages: [
      ["docs/plug-ins.md", "Programs of your own"],
      ["docs/library.md", "The client and the sandbox as libraries"],
      ["site/library/limitbot/venue.md", "limitbot/venue"],
      ["site/library/limitbot/strategy.md", "limitbot/strategy"],
      ["site/library/limitbot/sandbox.md", "limitbot/sandbox"],
      ["docs/interface.md", "The interface, row by row"],
      ["ARCHITECTURE.md", "Architecture"],
      ["BENCHMARKS.md", "Benchmarks"],
      ["CONTRIBUTING.md", "Contributing"]
    ]
  }
]

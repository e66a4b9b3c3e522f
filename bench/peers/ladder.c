/* The same ladder in C, twice: every order in every bar, and the nearest buy and sell only. The drawdown is taken at each close.
   No engine and no exact money: what the machine can do at most. Compiled by install.sh; called as the peers are:
   ladder FOLDER REPEATS, with the levels as text in FOLDER/levels.txt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_cells = 64, most_fills = 1000000 };

static double *highs, *lows, *closes, levels[most_cells + 1];
static long bars, cells, fill_count, fills[most_fills][3];

static double drawdown_of(double quote, double base, long from, long to, double *peak, double drawdown) {
  for (long bar = from; bar < to; bar++) {
    double worth = quote + base * closes[bar];
    if (worth > *peak) *peak = worth;
    else if (*peak - worth > drawdown * *peak) drawdown = (*peak - worth) / *peak;
  }
  return drawdown;
}

static double base, quote;

static void fill_bar(long bar, int *buys) {
  for (long cell = 0; cell < cells; cell++) {
    if (buys[cell] ? lows[bar] > levels[cell] : highs[bar] < levels[cell + 1]) continue;
    base += buys[cell] ? 0.01 : -0.01;
    quote += buys[cell] ? -0.01 * levels[cell] : 0.01 * levels[cell + 1];
    fills[fill_count][0] = bar, fills[fill_count][1] = buys[cell], fills[fill_count++][2] = cell;
    buys[cell] = !buys[cell];
  }
}

static void begin(int *buys) {
  base = 1e8, quote = 1e10, fill_count = 0;
  for (long cell = 0; cell < cells; cell++) buys[cell] = levels[cell] < closes[0];
}

static double all_orders(void) {
  int buys[most_cells];
  double peak = 0, drawdown = 0;
  begin(buys);
  for (long bar = 1; bar < bars; bar++) {
    fill_bar(bar, buys);
    drawdown = drawdown_of(quote, base, bar, bar + 1, &peak, drawdown);
  }
  return drawdown;
}

static double nearest_only(void) {
  int buys[most_cells];
  double peak = 0, drawdown = 0;
  begin(buys);
  for (long from = 1; from < bars;) {
    double below = -1e300, above = 1e300;
    for (long cell = 0; cell < cells; cell++) {
      if (buys[cell] && levels[cell] > below) below = levels[cell];
      if (!buys[cell] && levels[cell + 1] < above) above = levels[cell + 1];
    }
    long bar = from;
    while (bar < bars && lows[bar] > below && highs[bar] < above) bar++;
    drawdown = drawdown_of(quote, base, from, bar, &peak, drawdown);
    if (bar == bars) break;
    fill_bar(bar, buys);
    drawdown = drawdown_of(quote, base, bar, bar + 1, &peak, drawdown);
    from = bar + 1;
  }
  return drawdown;
}

static int by_size(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static void tell(const char *name, double (*run)(void), int repeats) {
  double millis[1000], drawdown = run();
  for (int at = 0; at < repeats; at++) {
    clock_t begun = clock();
    drawdown += run();
    millis[at] = (double)(clock() - begun) * 1000 / CLOCKS_PER_SEC;
  }
  qsort(millis, repeats, sizeof *millis, by_size);
  /* The drawdown is told so that no compiler leaves it out. */
  printf("{\"name\":\"%s\",\"millis\":%.4f,\"drawdown\":%.9f,\"fills\":[", name, millis[repeats / 2], drawdown / (repeats + 1));
  for (long at = 0; at < fill_count; at++)
    printf("%s[%ld,%ld,%ld]", at ? "," : "", fills[at][0], fills[at][1], fills[at][2]);
  printf("]}\n");
}

int main(int count, char **words) {
  char path[4096];
  if (count < 3) return 1;
  int repeats = atoi(words[2]);
  if (repeats < 1 || repeats > 1000) return 1;
  snprintf(path, sizeof path, "%s/levels.txt", words[1]);
  FILE *file = fopen(path, "r");
  if (!file) return 1;
  while (cells <= most_cells && fscanf(file, "%lf", &levels[cells]) == 1) cells++;
  fclose(file);
  cells--;
  snprintf(path, sizeof path, "%s/candles.f64", words[1]);
  if (!(file = fopen(path, "rb"))) return 1;
  fseek(file, 0, SEEK_END);
  bars = ftell(file) / 48;
  rewind(file);
  double *columns = malloc(bars * 48);
  if (!columns || fread(columns, 48, bars, file) != (size_t)bars) return 1;
  highs = columns + 2 * bars, lows = columns + 3 * bars, closes = columns + 4 * bars;
  tell("C, a loop over all orders", all_orders, repeats);
  tell("C, the nearest buy and sell only", nearest_only, repeats);
  return 0;
}

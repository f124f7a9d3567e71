/* nvidia-smi's outputs, one line at a time: what the files smi_*.c and nvidia_smi.c share.
 *
 * All shapes (table, -q, -q -x, CSV) fill the same slots of one GPU, so a rule asks for "recovery_action" and never
 * learns which of them said it. */
#ifndef FF_SMI_H
#define FF_SMI_H

#include "doc_private.h"

/* In order of weight: a fact holds at most 32 fields, and what does not fit is dropped from the end. */
typedef enum smi_slot {
    SMI_INDEX,
    SMI_PCI,
    SMI_UUID,
    SMI_FAILURE,
    SMI_PRODUCT,
    SMI_DRIVER,
    SMI_CUDA,
    SMI_RECOVERY,
    SMI_RESET_REQUIRED,
    SMI_REMAP_FAILURE,
    SMI_REMAP_PENDING,
    SMI_ECC_UNC_VOLATILE,
    SMI_ECC_UNC_AGGREGATE,
    SMI_ECC_COR_VOLATILE,
    SMI_ECC_COR_AGGREGATE,
    SMI_THROTTLE,
    SMI_FABRIC_STATE,
    SMI_FABRIC_STATUS,
    SMI_PSTATE,
    SMI_LINK_GEN,
    SMI_LINK_GEN_MAX,
    SMI_LINK_WIDTH,
    SMI_LINK_WIDTH_MAX,
    SMI_TEMPERATURE,
    SMI_UTILIZATION,
    SMI_MEMORY_USED,
    SMI_MEMORY_TOTAL,
    SMI_POWER,
    SMI_CLOCK_SM,
    SMI_COMPUTE_MODE,
    SMI_FABRIC_HEALTH,
    SMI_REMAPPED_UNC,
    SMI_REMAPPED_COR,
    SMI_RETIRED_PENDING,
    SMI_REPLAYS,
    SMI_MIG,
    SMI_POWER_LIMIT,
    SMI_CLOCK_SM_MAX,
    SMI_DRAIN_RECOMMENDED,
    SMI_SRAM_THRESHOLD,
    SMI_CHANNEL_REPAIR,
    SMI_UNREPAIRABLE,
    SMI_TEMPERATURE_MARGIN,
    SMI_MEMORY_TEMPERATURE,
    SMI_UTILIZATION_MEMORY,
    SMI_ECC_MODE,
    SMI_PERSISTENCE,
    SMI_SERIAL,
    SMI_MINOR,
    SMI_SLOTS
} smi_slot;

typedef struct smi_value {
    ff_bytes text;
    double number;
    bool set, is_number;
} smi_value;

typedef struct smi_gpu {
    smi_value at[SMI_SLOTS];
    bool open;       /* something was read */
    unsigned weight; /* how bad the worst line so far is: that one is quoted */
    uint64_t offset; /* of that line */
} smi_gpu;

typedef enum smi_mode {
    SMI_IDLE,
    SMI_TABLE,
    SMI_PROCESSES,
    SMI_QUERY,
    SMI_CSV,
    SMI_TOPO,
    SMI_NVLINK,
    SMI_DMON
} smi_mode;

#define SMI_COLUMNS 64u
#define SMI_DEVICES 160u /* columns of a topology matrix: 144 GPUs and some NICs */
#define SMI_LEVELS 8u
#define SMI_SERIES 256u /* GPUs whose samples are summed up */

typedef struct smi_cell {
    uint16_t a, b; /* indexes into devices */
    ff_bytes code;
    uint64_t offset;
} smi_cell;

#define SMI_STEPS 120u    /* of a course */
typedef struct smi_step { /* sums and counts of the samples in it */
    double utilization, power;
    uint32_t n_utilization, n_power;
} smi_step;

typedef struct smi_course {
    smi_step at[SMI_STEPS];
    uint32_t n;
    int64_t step_s;
} smi_course;

typedef struct smi_series { /* all rows of one GPU in a CSV file */
    ff_bytes key;           /* UUID, PCI address or index */
    smi_gpu first;
    uint32_t rows, idle, idle_run, longest_idle;
    uint32_t spin_run;          /* rows up to now of full utilisation without memory traffic */
    double spin_low, spin_high; /* their power */
    ff_stamp from, to, idle_from, spin_from, longest_from, longest_to;
    double low[SMI_SLOTS], high[SMI_SLOTS], sum[SMI_SLOTS];
    uint32_t seen[SMI_SLOTS];
    smi_course *course; /* NULL until a row has a time and something to draw */
    smi_gpu last;       /* last row told as a fact */
    uint64_t offset;
} smi_series;

/* Who uses a GPU, as the text says it; pid empty: nobody yet. */
typedef struct smi_process {
    ff_bytes pid, name, type, memory;
    uint64_t offset;
} smi_process;

typedef struct smi {
    const ff_sink *out; /* NULL: only counts, for probes */
    ff_bytes name;      /* of the member */
    doc_lines lines;
    uint64_t offset; /* of the line being read */
    smi_mode mode;
    ff_bytes driver, cuda;
    ff_stamp said;
    ff_bytes command; /* last "$ ..." line seen */
    smi_gpu gpu;
    /* -q */
    struct {
        size_t indent;
        ff_bytes name;
    } levels[SMI_LEVELS];
    unsigned depth;
    smi_process process; /* of -q and -x, until all of it is read */
    /* CSV */
    int columns[SMI_COLUMNS]; /* smi_slot, or one of the specials in smi_csv.c */
    ff_bytes headers[SMI_COLUMNS];
    unsigned n_columns;
    int key_column; /* in which a row names its GPU; below 0: rows have to be read whole */
    smi_series *series;
    uint32_t n_series, told;
    /* topology */
    ff_bytes devices[SMI_DEVICES];
    unsigned n_devices, n_rows;
    bool p2p;
    struct smi_cell *cells; /* of the matrix, n_cells of them; NULL until one is seen */
    unsigned n_cells;
    uint64_t topo_offset;
    /* nvlink -s, -e */
    unsigned links, active;
    double errors, replays, recoveries, crcs;
    /* a failure waits for the line that names the library's version */
    ff_bytes failure, library;
    uint64_t failure_offset;
    /* for the probe */
    unsigned n_lines, n_mine, n_sure;
} smi;

/* out NULL: lines are only counted, and nothing is allocated. */
void smi_init(smi *s, const ff_sink *out, ff_bytes name, ff_bytes text);
/* One line. False: not nvidia-smi's. */
bool smi_line(smi *s, ff_bytes line, uint64_t offset);
void smi_end(smi *s); /* gives what is still open */

/* ---- slots ---- */
/* Keeps a value; N/A and the like are dropped, "[GPU is lost]", "ERR!" and the like become the failure. */
void smi_set(smi *s, smi_slot slot, ff_bytes value);
void smi_add(smi *s, smi_slot slot, ff_bytes value);                    /* sums counters of several units */
void smi_throttle(smi *s, const char *reason);                          /* one more active reason */
void smi_weigh(smi *s, unsigned weight);                                /* the current line says something this bad */
void smi_flush(smi *s);                                                 /* gives the GPU that is being read */
void smi_process_value(smi *s, ff_bytes key, ff_bytes value);           /* a line of a process of that GPU */
void smi_give_process(smi *s, const smi_process *p, const ff_who *gpu); /* of the GPU that gpu names */
void smi_emit(smi *s, const smi_gpu *g, ff_stamp said);
const char *smi_slot_name(smi_slot slot);
bool smi_is_numeric(smi_slot slot);
bool smi_number(ff_bytes text, double *out); /* "143771 MiB", "77.90 W", "16x", "45 %" */
bool smi_is_nothing(ff_bytes value);         /* N/A, [N/A], [Not Supported], empty */
void smi_fact(smi *s, ff_fact_id id, uint64_t offset, ff_stamp said, ff_fields *f, const ff_who *who);

/* ---- the shapes; each: true, the line was one of its own ---- */
bool smi_table_line(smi *s, ff_bytes line); /* smi_table.c */
bool smi_query_line(smi *s, ff_bytes line); /* smi_query.c */
void smi_query_end(smi *s);
void smi_series_add(smi *s, smi_series *r); /* the row that was just read */
void smi_series_emit(smi *s, const smi_series *r);
bool smi_csv_line(smi *s, ff_bytes line); /* smi_csv.c */
bool smi_csv_row(smi *s, ff_bytes line);  /* one more row below those that were: no other shape begins with a digit */
void smi_csv_end(smi *s);
void smi_row_end(smi *s);                  /* the GPU that is being read is a row of a series */
bool smi_dmon_line(smi *s, ff_bytes line); /* smi_dmon.c */
bool smi_topo_line(smi *s, ff_bytes line); /* smi_topo.c */
void smi_topo_end(smi *s);
void smi_nvlink_begin(smi *s, ff_bytes line); /* smi_nvlink.c */
bool smi_nvlink_line(smi *s, ff_bytes line);
void smi_nvlink_end(smi *s);
bool smi_failure_line(smi *s, ff_bytes line); /* smi_failure.c */
void smi_failure_end(smi *s);
/* A key of -q or -q -x with its sections, outermost first, all in the words of -q. */
void smi_query_value(smi *s, const ff_bytes *sections, unsigned n, ff_bytes key, ff_bytes value);
void smi_read_xml(smi *s, ff_bytes text);  /* smi_xml.c */
bool smi_list_line(smi *s, ff_bytes line); /* "GPU 0: NVIDIA H100 (UUID: GPU-...)" */

#endif
